// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // The calls of C stand in one file for each database.
    .strictMemorySafety(),
]

/// A program of one of two releases, whose definitions of a workflow differ.
func release(_ name: String, _ folder: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            "SQLiteStore", "StoreTesting", .product(name: "Heraclitus", package: "heraclitus"),
            .product(name: "HeraclitusStores", package: "heraclitus"),
        ],
        path: "Tests/Releases/\(folder)",
        swiftSettings: settings
    )
}

let package = Package(
    name: "databases",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "SQLStores", targets: ["SQLStores"]),
        .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
        .library(name: "PostgresStore", targets: ["PostgresStore"]),
        .executable(name: "store-orders", targets: ["StoreOrders"]),
        .executable(name: "store-benchmark", targets: ["StoreBenchmark"]),
    ],
    dependencies: [
        .package(name: "heraclitus", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "SQLStores",
            dependencies: [.product(name: "HeraclitusStores", package: "heraclitus")],
            swiftSettings: settings
        ),
        .target(
            name: "SQLiteStore",
            dependencies: [
                "SQLStores", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PostgresStore",
            dependencies: [
                "CPostgres", "SQLStores", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: [
                "CPostgres", "PostgresStore", "SQLiteStore", .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
            ],
            swiftSettings: settings
        ),
        // The root's example `orders` with more stores.
        .executableTarget(
            name: "StoreOrders",
            dependencies: [
                "PostgresStore", "SQLiteStore", .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
                .product(name: "HeraclitusOrdersDesk", package: "heraclitus"),
            ],
            path: "Sources/Orders",
            swiftSettings: settings
        ),
        .target(
            name: "StoreTesting",
            dependencies: [
                .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
            ],
            path: "Tests/StoreTesting",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "counter",
            dependencies: [
                "PostgresStore", "SQLiteStore", "StoreTesting", .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
            ],
            path: "Tests/Counter",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "firing",
            dependencies: [
                "PostgresStore", "StoreTesting", .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
            ],
            path: "Tests/Firing",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "worker",
            dependencies: [
                "PostgresStore", "SQLStores", "SQLiteStore", "StoreTesting",
                .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
            ],
            path: "Tests/Worker",
            swiftSettings: settings
        ),
        release("oldrelease", "Old"),
        release("newrelease", "New"),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "SQLStores", "SQLiteStore", "StoreBenchmark", "StoreOrders", "StoreTesting", "counter", "newrelease",
                "oldrelease", "worker",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
                .product(name: "HeraclitusTesting", package: "heraclitus"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "PostgresStore", "SQLStores", "StoreOrders", "StoreTesting", "counter", "firing", "worker",
                .product(name: "Heraclitus", package: "heraclitus"),
                .product(name: "HeraclitusStores", package: "heraclitus"),
                .product(name: "HeraclitusTesting", package: "heraclitus"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
