import OrdersDeskExample

/// Stores orders in a directory, one file each.
@main
struct Orders {
    static func main() async { await OrdersProgram.run() }
}
