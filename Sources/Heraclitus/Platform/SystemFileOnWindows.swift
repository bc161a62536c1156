// The same as SystemFile.swift for Windows. Untried: it was never compiled.

#if os(Windows)
    import FoundationEssentials
    import WinSDK

    /// What the system says is wrong with a file.
    struct SystemError: Error {
        let number: DWORD

        static var latest: SystemError { SystemError(number: GetLastError()) }

        var isMissing: Bool { number == DWORD(ERROR_FILE_NOT_FOUND) || number == DWORD(ERROR_PATH_NOT_FOUND) }

        var explanation: String { "Windows reports error \(number)." }
    }

    /// An open file or folder, which is closed when this goes.
    ///
    /// Invariant: the handle is open and nobody else's until `deinit`.
    @safe
    struct SystemFile: ~Copyable {
        private let handle: HANDLE
        private let isAppending: Bool

        init(_ path: String, for purpose: FilePurpose) throws(SystemError) {
            let (access, disposition) =
                switch purpose {
                case .reading, .readingInFolder: (GENERIC_READ, OPEN_EXISTING)
                case .making: (DWORD(GENERIC_WRITE), CREATE_NEW)
                case .locking, .appending: (GENERIC_READ | DWORD(GENERIC_WRITE), OPEN_ALWAYS)
                case .folder: (DWORD(GENERIC_WRITE), OPEN_EXISTING)
                }
            isAppending = purpose == .appending
            // As elsewhere, a file may be renamed while it is open. But nobody removes a lock that somebody has open.
            let removing = purpose == .locking ? 0 : FILE_SHARE_DELETE
            let flags = DWORD(purpose == .folder ? FILE_FLAG_BACKUP_SEMANTICS : FILE_ATTRIBUTE_NORMAL)
            unsafe handle = unsafe path.withCString(encodedAs: UTF16.self) { path in
                let sharing = DWORD(FILE_SHARE_READ | FILE_SHARE_WRITE | removing)
                return unsafe CreateFileW(path, access, sharing, nil, DWORD(disposition), flags, nil)
            }
            if unsafe handle == INVALID_HANDLE_VALUE { throw .latest }
        }

        deinit { unsafe CloseHandle(handle) }

        func next(_ count: Int) throws(SystemError) -> Data {
            var data = Data(count: count)
            var found: DWORD = 0
            let isRead = unsafe data.withUnsafeMutableBytes { bytes in
                unsafe ReadFile(handle, bytes.baseAddress, DWORD(bytes.count), &found, nil)
            }
            guard isRead else { throw .latest }
            return data.prefix(Int(found))
        }

        func append(_ data: Data) throws(SystemError) {
            if isAppending, unsafe !SetFilePointerEx(handle, LARGE_INTEGER(), nil, DWORD(FILE_END)) { throw .latest }
            var rest = data[...]
            while !rest.isEmpty {
                var written: DWORD = 0
                let isWritten = unsafe rest.withUnsafeBytes { bytes in
                    unsafe WriteFile(handle, bytes.baseAddress, DWORD(clamping: bytes.count), &written, nil)
                }
                guard isWritten else { throw .latest }
                rest = rest.dropFirst(Int(written))
            }
        }

        func rewind() throws(SystemError) { try seek(to: 0) }

        func seek(to place: Int) throws(SystemError) {
            let distance = LARGE_INTEGER(QuadPart: Int64(place))
            if unsafe !SetFilePointerEx(handle, distance, nil, DWORD(FILE_BEGIN)) { throw .latest }
        }

        func sync() throws(SystemError) {
            if unsafe !FlushFileBuffers(handle) { throw .latest }
        }

        func lock() throws(SystemError) {
            if !isLocked(DWORD(LOCKFILE_EXCLUSIVE_LOCK)) { throw .latest }
        }

        func lockIfFree() -> Bool { isLocked(DWORD(LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY)) }

        /// Locks a byte that no file has, because nobody else reads what is locked.
        private func isLocked(_ flags: DWORD) -> Bool {
            var place = OVERLAPPED()
            place.OffsetHigh = 1 << 30
            return unsafe LockFileEx(handle, flags, 0, 1, 0, &place)
        }

        /// Folders are not opened to be read.
        var isRegular: Bool { true }

        /// Nobody removes a lock; and of another file that was removed, its renaming tells.
        func isAt(_ path: String) -> Bool { true }

        /// Does nothing: files have no mode.
        func takeMode(of path: String) {}

        static func remove(_ path: String) throws(SystemError) {
            if unsafe !path.withCString(encodedAs: UTF16.self, { unsafe DeleteFileW($0) }) { throw .latest }
        }

        static func move(_ path: String, to other: String) throws(SystemError) {
            let flags = DWORD(MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)
            let isMoved = unsafe path.withCString(encodedAs: UTF16.self) { path in
                unsafe other.withCString(encodedAs: UTF16.self) { unsafe MoveFileExW(path, $0, flags) }
            }
            if !isMoved { throw .latest }
        }

        static func names(in folder: String) throws(SystemError) -> [String] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                return attributes?[.type] as? FileAttributeType == .typeRegular
            }
            guard let names else { throw .latest }
            return names
        }
    }
#endif
