"""A web server on loopback that serves made-up bytes, slowly, whole or in part, and breaks where it is told to.

The path says how: /file?size=100000&tag="a"&ranges=1&chunk=4096&pause=0.01&cut=5000&stall=5000&status=404, and if it is not
asked for a part, hold=5000. Asked for one, it may send another: other="b" (its tag), star=1 (no total), shift=10 (from there).
Its first line of output is the port; after that each request is a line: the path, the Range and the If-Range header.
"""
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse


def content(size, seed):
    block = bytes((i * 31 + seed) % 251 for i in range(251 * 16))
    return (block * (size // len(block) + 1))[:size]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        query = {key: values[0] for key, values in parse_qs(urlparse(self.path).query).items()}
        size, seed = int(query.get("size", 1000)), int(query.get("seed", 0))
        asked, condition = self.headers.get("Range"), self.headers.get("If-Range")
        print(self.path, asked, condition, flush=True)
        if "redirect" in query:
            self.send_response(302)
            self.send_header("Location", query["redirect"])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if "status" in query:
            self.send_response(int(query["status"]))
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"sorry")
            return
        body, tag, start = content(size, seed), query.get("tag"), 0
        if asked and "ranges" in query and ("other" in query or condition in (None, tag)):
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= size:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{size}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start += int(query.get("shift", 0))
            self.send_response(206)
            total = "*" if "star" in query else size
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{total}")
            tag = query.get("other", tag)
        else:
            self.send_response(200)
        if tag:
            self.send_header("ETag", tag)
        if "ranges" in query:
            self.send_header("Accept-Ranges", "bytes")
        if "chunked" not in query:
            self.send_header("Content-Length", str(size - start))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        chunk, pause = int(query.get("chunk", 1 << 16)), float(query.get("pause", 0))
        position = start
        while position < size:
            end = min(position + chunk, size)
            for word in ("cut", "stall", "hold"):
                limit = int(query.get(word, size + 1))
                if position <= limit < end and not (asked and word == "hold"):
                    self.wfile.write(body[position:limit])
                    self.wfile.flush()
                    if word != "cut":
                        time.sleep(600 if word == "hold" else 60)
                    self.close_connection = True
                    self.connection.close()
                    return
            try:
                self.wfile.write(body[position:end])
                self.wfile.flush()
            except OSError:
                self.close_connection = True
                return
            position = end
            time.sleep(pause)


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
