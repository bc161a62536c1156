// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "heraclitus",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Heraclitus", targets: ["Heraclitus"]),
        .library(name: "HeraclitusTesting", targets: ["HeraclitusTesting"]),
        .executable(name: "benchmark", targets: ["Benchmark"]),
        .executable(name: "dpkg-replay", targets: ["DpkgReplay"]),
        .executable(name: "orders", targets: ["Orders"]),
    ],
    targets: [
        .target(name: "Heraclitus", swiftSettings: settings),
        .target(name: "HeraclitusTesting", dependencies: ["Heraclitus"], swiftSettings: settings),
        .executableTarget(
            name: "Benchmark",
            dependencies: ["CAllocator", "Heraclitus"],
            path: "Examples/Benchmark",
            exclude: ["Allocator", "Generated/generate.py"],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CAllocator", path: "Examples/Benchmark/Allocator"),
        .executableTarget(
            name: "DpkgReplay",
            dependencies: ["Heraclitus"],
            path: "Examples/DpkgReplay",
            resources: [.copy("Sample")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Orders",
            dependencies: ["Heraclitus"],
            path: "Examples/Orders",
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeraclitusTests",
            dependencies: ["Heraclitus", "HeraclitusTesting"],
            exclude: ["Archiving/Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExampleTests",
            dependencies: ["Benchmark", "DpkgReplay", "Heraclitus", "HeraclitusTesting", "Orders"],
            exclude: ["DpkgReplay/Logs"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MainActorTests",
            dependencies: ["Heraclitus"],
            swiftSettings: settings + [.defaultIsolation(MainActor.self)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
