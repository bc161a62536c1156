/// For scale: an enum with a `switch`, for one thread, without hooks and without objects.
///
/// Its methods are called and not inlined, or the optimizer would see that a round changes nothing.
struct HandSwitch {
    enum State {
        case idle
        case loading(url: String)
        case completed(byteCount: Int)
        case failure(DownloadError, url: String)
        case cancelled
    }

    struct Invalid: Error {}

    private var state = State.idle

    var isIdle: Bool {
        if case .idle = state { return true }
        return false
    }

    @inline(never)
    mutating func load(_ url: String) throws(Invalid) {
        switch state {
        case .idle: state = .loading(url: url)
        default: throw Invalid()
        }
    }

    @inline(never)
    mutating func fail(_ error: DownloadError) throws(Invalid) {
        switch state {
        case .loading(let url): state = .failure(error, url: url)
        default: throw Invalid()
        }
    }

    @inline(never)
    mutating func retry() throws(Invalid) {
        switch state {
        case .failure(_, let url): state = .loading(url: url)
        default: throw Invalid()
        }
    }

    @inline(never)
    mutating func finish(_ byteCount: Int) throws(Invalid) {
        switch state {
        case .loading: state = .completed(byteCount: byteCount)
        default: throw Invalid()
        }
    }

    @inline(never)
    mutating func reset() throws(Invalid) {
        switch state {
        case .completed, .failure, .cancelled: state = .idle
        default: throw Invalid()
        }
    }
}

extension HandSwitch {
    mutating func goAround(_ content: Content) throws(Invalid) {
        try load(content.url)
        try fail(content.error)
        try retry()
        try finish(1024)
        try reset()
    }
}
