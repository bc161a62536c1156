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
        .library(name: "HeraclitusTesting", targets: ["HeraclitusTesting"]),
        .executable(name: "approval", targets: ["Approval"]),
        .executable(name: "benchmark", targets: ["Benchmark"]),
        .executable(name: "dpkg-replay", targets: ["DpkgReplay"]),
        .executable(name: "download", targets: ["Download"]),
        .executable(name: "first-program", targets: ["FirstProgram"]),
        .executable(name: "inbox", targets: ["Inbox"]),
        .executable(name: "operations", targets: ["Operations"]),
        .executable(name: "orders", targets: ["Orders"]),
        // No product for users: the orders of Examples/Databases are the same program with more stores.
        .library(name: "OrdersDesk", targets: ["OrdersDesk"]),
        .executable(name: "session", targets: ["Session"]),
        .executable(name: "session-server", targets: ["SessionServer"]),
        .executable(name: "subscription", targets: ["Subscription"]),
        .executable(name: "traffic-light", targets: ["TrafficLight"]),
        .executable(name: "workflow-diagram", targets: ["WorkflowDiagram"]),
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
            name: "HeraclitusTesting",
            dependencies: ["Heraclitus", "HeraclitusEssentials", "HeraclitusInspecting", "HeraclitusStores"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Approval",
            dependencies: ["Heraclitus", "HeraclitusInspecting", "HeraclitusStores", "Usage"],
            path: "Examples/Approval",
            exclude: ["README.md"],
            resources: [.copy("Flows")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Benchmark",
            dependencies: ["CAllocator", "Heraclitus", "HeraclitusTesting"],
            path: "Examples/Benchmark",
            exclude: ["Allocator", "README.md"],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CAllocator", path: "Examples/Benchmark/Allocator"),
        .executableTarget(
            name: "DpkgReplay",
            dependencies: ["Heraclitus", "HeraclitusInspecting"],
            path: "Examples/DpkgReplay",
            exclude: ["README.md"],
            resources: [.copy("Sample")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Download",
            dependencies: ["Heraclitus"],
            path: "Examples/Download",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FirstProgram",
            dependencies: ["Heraclitus", "Usage"],
            path: "Examples/FirstProgram",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Inbox",
            dependencies: ["Heraclitus", "HeraclitusFoundation", "HeraclitusInspecting", "Usage"],
            path: "Examples/Inbox",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Operations",
            dependencies: ["Heraclitus", "HeraclitusFoundation", "Usage"],
            path: "Examples/Operations",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Orders",
            dependencies: ["OrdersDesk"],
            path: "Examples/Orders/Program",
            swiftSettings: settings
        ),
        .target(
            name: "OrdersDesk",
            dependencies: ["Heraclitus", "HeraclitusStores"],
            path: "Examples/Orders",
            exclude: ["Program", "README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Session",
            dependencies: ["Heraclitus", "HeraclitusStores", "SessionSocket"],
            path: "Examples/Session",
            exclude: ["README.md", "Server", "Socket"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "SessionServer",
            dependencies: ["SessionSocket"],
            path: "Examples/Session/Server",
            swiftSettings: settings
        ),
        .target(name: "SessionSocket", path: "Examples/Session/Socket", swiftSettings: settings),
        .executableTarget(
            name: "Subscription",
            dependencies: ["Heraclitus", "Usage"],
            path: "Examples/Subscription",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "TrafficLight",
            dependencies: ["Heraclitus", "HeraclitusFoundation", "Usage"],
            path: "Examples/TrafficLight",
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .target(name: "Usage", path: "Examples/Usage", swiftSettings: settings),
        .executableTarget(
            name: "WorkflowDiagram",
            dependencies: ["Heraclitus", "HeraclitusInspecting"],
            path: "Examples/WorkflowDiagram",
            exclude: ["README.md"],
            resources: [.copy("Tables")],
            swiftSettings: settings
        ),
        // States, workflows and helpers that tests of several modules share.
        .target(
            name: "Fixtures",
            dependencies: ["Heraclitus", "HeraclitusStores"],
            path: "Tests/Fixtures",
            swiftSettings: settings
        ),
        .testTarget(name: "HeraclitusJSONTests", dependencies: ["HeraclitusJSON"], swiftSettings: settings),
        .testTarget(
            name: "HeraclitusTests",
            dependencies: [
                "Fixtures", "Heraclitus", "HeraclitusFoundation", "HeraclitusInspecting", "HeraclitusJSON",
                "HeraclitusStores", "HeraclitusTesting",
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
                "FirstProgram", "Heraclitus", "HeraclitusFoundation", "HeraclitusInspecting", "HeraclitusStores",
                "HeraclitusTesting", "PublicModule",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "Approval", "Benchmark", "Download", "DpkgReplay", "FirstProgram", "Heraclitus", "HeraclitusInspecting",
                "HeraclitusStores", "HeraclitusTesting", "Inbox", "Operations", "Orders", "OrdersDesk", "Session",
                "SessionServer", "SessionSocket", "Subscription", "TrafficLight", "WorkflowDiagram",
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
    package.products.removeAll { $0 is Product.Executable || $0.name == "OrdersDesk" }
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
