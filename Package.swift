// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Of the library, unsafe uses stand in `Memory` and `Platform` alone.
    .strictMemorySafety(),
]

let package = Package(
    name: "heraclitus",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Heraclitus", targets: ["Heraclitus"]),
        .library(name: "HeraclitusFoundation", targets: ["HeraclitusFoundation"]),
        .library(name: "HeraclitusInspecting", targets: ["HeraclitusInspecting"]),
        .library(name: "HeraclitusStores", targets: ["HeraclitusStores"]),
        .library(name: "HeraclitusTables", targets: ["HeraclitusTables"]),
        .library(name: "HeraclitusTesting", targets: ["HeraclitusTesting"]),
        // SwiftPM wants unique names of targets in all of a user's packages, so targets of products end in `Example`.
        // An executable silently replaces a user's of the same name, so the names of products begin with the library's.
        .executable(name: "heraclitus-approval", targets: ["ApprovalExample"]),
        .executable(name: "heraclitus-benchmark", targets: ["BenchmarkExample"]),
        .executable(name: "heraclitus-dpkg-replay", targets: ["DpkgReplayExample"]),
        .executable(name: "heraclitus-download", targets: ["DownloadExample"]),
        .executable(name: "heraclitus-first-program", targets: ["FirstProgramExample"]),
        .executable(name: "heraclitus-inbox", targets: ["InboxExample"]),
        .executable(name: "heraclitus-operations", targets: ["OperationsExample"]),
        .executable(name: "heraclitus-orders", targets: ["OrdersExample"]),
        // No product for users: the orders of Examples/Databases are the same program with more stores.
        .library(name: "HeraclitusOrdersDesk", targets: ["OrdersDeskExample"]),
        .executable(name: "heraclitus-session", targets: ["SessionExample"]),
        .executable(name: "heraclitus-session-server", targets: ["SessionServerExample"]),
        .executable(name: "heraclitus-subscription", targets: ["SubscriptionExample"]),
        .executable(name: "heraclitus-traffic-light", targets: ["TrafficLightExample"]),
        .executable(name: "heraclitus-workflow-diagram", targets: ["WorkflowDiagramExample"]),
    ],
    targets: [
        .target(name: "HeraclitusEssentials", swiftSettings: settings),
        .target(name: "HeraclitusJSON", dependencies: ["HeraclitusEssentials"], swiftSettings: settings),
        .target(name: "Heraclitus", dependencies: ["HeraclitusEssentials", "HeraclitusJSON"], swiftSettings: settings),
        .target(name: "HeraclitusFoundation", dependencies: ["Heraclitus"], swiftSettings: settings),
        .target(
            name: "HeraclitusInspecting",
            dependencies: ["Heraclitus", "HeraclitusEssentials"],
            swiftSettings: settings
        ),
        .target(
            name: "HeraclitusStores",
            dependencies: ["Heraclitus", "HeraclitusEssentials"],
            swiftSettings: settings
        ),
        .target(
            name: "HeraclitusTables",
            dependencies: ["Heraclitus", "HeraclitusEssentials", "HeraclitusJSON"],
            swiftSettings: settings
        ),
        .target(
            name: "HeraclitusTesting",
            dependencies: ["Heraclitus", "HeraclitusEssentials", "HeraclitusInspecting", "HeraclitusStores"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ApprovalExample",
            dependencies: [
                "Heraclitus", "HeraclitusInspecting", "HeraclitusStores", "HeraclitusTables", "ExampleUsage",
            ],
            path: "Examples/Approval",
            exclude: ["README.md"],
            resources: [.copy("Flows")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BenchmarkExample",
            dependencies: ["CBenchmarkAllocator", "Heraclitus"],
            path: "Examples/Benchmark",
            exclude: ["Allocator", "README.md"],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CBenchmarkAllocator", path: "Examples/Benchmark/Allocator"),
        .executableTarget(
            name: "DpkgReplayExample",
            dependencies: ["Heraclitus", "HeraclitusInspecting", "HeraclitusStores"],
            path: "Examples/DpkgReplay",
            exclude: ["README.md"],
            resources: [.copy("Sample")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "DownloadExample",
            dependencies: ["Heraclitus"],
            path: "Examples/Download",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FirstProgramExample",
            dependencies: ["Heraclitus", "ExampleUsage"],
            path: "Examples/FirstProgram",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "InboxExample",
            dependencies: ["Heraclitus", "HeraclitusFoundation", "HeraclitusInspecting", "ExampleUsage"],
            path: "Examples/Inbox",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "OperationsExample",
            dependencies: ["Heraclitus", "HeraclitusFoundation", "ExampleUsage"],
            path: "Examples/Operations",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "OrdersExample",
            dependencies: ["OrdersDeskExample"],
            path: "Examples/Orders/Program",
            swiftSettings: settings
        ),
        .target(
            name: "OrdersDeskExample",
            dependencies: ["Heraclitus", "HeraclitusStores"],
            path: "Examples/Orders",
            exclude: ["Program", "README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "SessionExample",
            dependencies: ["Heraclitus", "HeraclitusStores", "SessionSocketExample"],
            path: "Examples/Session",
            exclude: ["README.md", "Server", "Socket"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "SessionServerExample",
            dependencies: ["SessionSocketExample"],
            path: "Examples/Session/Server",
            swiftSettings: settings
        ),
        .target(name: "SessionSocketExample", path: "Examples/Session/Socket", swiftSettings: settings),
        .executableTarget(
            name: "SubscriptionExample",
            dependencies: ["Heraclitus", "ExampleUsage"],
            path: "Examples/Subscription",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "TrafficLightExample",
            dependencies: ["Heraclitus", "HeraclitusFoundation", "ExampleUsage"],
            path: "Examples/TrafficLight",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .target(name: "ExampleUsage", path: "Examples/Usage", swiftSettings: settings),
        .executableTarget(
            name: "WorkflowDiagramExample",
            dependencies: ["Heraclitus", "HeraclitusInspecting"],
            path: "Examples/WorkflowDiagram",
            exclude: ["README.md"],
            resources: [.copy("Tables")],
            swiftSettings: settings
        ),
        // States, workflows and helpers that tests of several modules share.
        .target(
            name: "Fixtures",
            dependencies: ["Heraclitus", "HeraclitusInspecting", "HeraclitusStores"],
            path: "Tests/Fixtures",
            swiftSettings: settings
        ),
        .testTarget(name: "HeraclitusJSONTests", dependencies: ["HeraclitusJSON"], swiftSettings: settings),
        .testTarget(
            name: "HeraclitusTests",
            dependencies: [
                "Fixtures", "Heraclitus", "HeraclitusInspecting", "HeraclitusJSON", "HeraclitusStores",
                "HeraclitusTesting",
            ],
            exclude: ["Archiving/Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeraclitusStoresTests",
            dependencies: [
                "Fixtures", "Heraclitus", "HeraclitusEssentials", "HeraclitusInspecting", "HeraclitusStores",
                "HeraclitusTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeraclitusInspectingTests",
            dependencies: [
                "Fixtures", "Heraclitus", "HeraclitusInspecting", "HeraclitusStores", "HeraclitusTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeraclitusTablesTests",
            dependencies: [
                "Fixtures", "Heraclitus", "HeraclitusInspecting", "HeraclitusStores", "HeraclitusTables",
                "HeraclitusTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeraclitusTestingTests",
            dependencies: ["Fixtures", "Heraclitus", "HeraclitusTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeraclitusFoundationTests",
            dependencies: ["Fixtures", "Heraclitus", "HeraclitusFoundation"],
            swiftSettings: settings
        ),
        .target(
            name: "PublicModule",
            dependencies: ["Heraclitus"],
            path: "Tests/PublicModule",
            swiftSettings: settings
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "FirstProgramExample", "Heraclitus", "HeraclitusFoundation", "HeraclitusInspecting", "HeraclitusStores",
                "HeraclitusTables", "HeraclitusTesting", "PublicModule",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "ApprovalExample", "BenchmarkExample", "DownloadExample", "DpkgReplayExample", "FirstProgramExample",
                "Heraclitus", "HeraclitusInspecting", "HeraclitusStores", "HeraclitusTesting", "InboxExample",
                "OperationsExample", "OrdersDeskExample", "OrdersExample", "SessionExample", "SessionServerExample",
                "SessionSocketExample", "SubscriptionExample", "TrafficLightExample", "WorkflowDiagramExample",
            ],
            exclude: [
                "Download/server.py", "DpkgReplay/Logs", "DpkgReplay/line_by_line.py", "Orders/Golden", "Outputs",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MainActorTests",
            dependencies: ["Heraclitus", "HeraclitusStores", "HeraclitusTesting"],
            swiftSettings: settings + [.defaultIsolation(MainActor.self)]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// CI's sanitizers look at the library and its own tests, and need not build the rest.
if Context.environment["HERACLITUS_LIBRARY_ALONE"] != nil {
    package.products.removeAll { $0 is Product.Executable || $0.name == "HeraclitusOrdersDesk" }
    package.targets.removeAll { target in
        target.path?.hasPrefix("Examples/") == true || ["DocumentationTests", "ExampleTests"].contains(target.name)
    }
    // They build some targets of tests, or some folders of one, because all take minutes.
    // For example, `HeraclitusTests/Engine MainActorTests`.
    if let paths = Context.environment["HERACLITUS_TESTS"]?.split(separator: " ").map({ $0.split(separator: "/") }) {
        package.targets.removeAll { target in target.isTest && !paths.contains { $0.first! == target.name } }
        for target in package.targets where target.isTest {
            let folders = paths.filter { $0.count > 1 && $0[0] == target.name }
                .map { $0.dropFirst().joined(separator: "/") }
            if !folders.isEmpty { target.sources = folders }
        }
    }
}

// CI's optimized programs are about the core. Everything else is compiled faster without the optimizer.
if let names = Context.environment["HERACLITUS_UNOPTIMIZED"]?.split(separator: " ") {
    for target in package.targets where names.contains(Substring(target.name)) {
        target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
    }
}
