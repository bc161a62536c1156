// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

let package = Package(
    name: "cost",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "heraclitus", path: "../..")],
    targets: [
        .executableTarget(
            name: "cost",
            dependencies: [
                .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusTables", package: "heraclitus"),
            ],
            path: "Sources",
            swiftSettings: settings
        )
    ],
    swiftLanguageModes: [.v6]
)
