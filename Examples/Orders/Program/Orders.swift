import OrdersDeskExample

/// Keeps orders in a directory, a file each.
@main
struct Orders {
    static func main() async { await OrdersProgram.run() }
}
