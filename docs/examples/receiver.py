import hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["SECRET"]
handled = set()


def verified(secret, headers, body):  # headers: a mapping that ignores case; body: the bytes as they came
    timestamp = headers.get("X-Service-Timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        raise ValueError("stale")
    signed = timestamp.encode() + b"." + body
    made = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    names = ["X-Service-Signature", "X-Service-Signature-Next"]  # the second while a rotation overlaps
    if not any(hmac.compare_digest(made.encode(), headers.get(name, "").encode()) for name in names):
        raise ValueError("not from Ergon")
    return json.loads(body)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verified(SECRET, self.headers, body)
        except ValueError as error:
            print("refused:", error, flush=True)
            return self.answer(400)
        self.answer(204)
        if event["id"] not in handled:
            handled.add(event["id"])
            print(event["type"], event["data"], flush=True)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver)
print("listening", flush=True)
server.serve_forever()
