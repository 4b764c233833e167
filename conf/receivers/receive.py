#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A receiver of webhooks: WEBHOOK_SECRET=whsec_... receive.py PORT CERTIFICATE KEY"""

import hashlib
import hmac
import json
import os
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()


def genuine(headers, body):
    """Did the service sign these bytes, within the last five minutes?"""
    timestamp = headers.get("X-Service-Timestamp", "").encode("latin-1")
    signed = hmac.new(SECRET, timestamp + b"." + body, hashlib.sha256).hexdigest()
    expected = ("sha256=" + signed).encode()
    given = [headers.get(name, "").encode("latin-1")
             for name in ("X-Service-Signature", "X-Service-Signature-Previous")]
    return (any(hmac.compare_digest(expected, each) for each in given)
            and timestamp.isdigit() and abs(time.time() - int(timestamp)) <= 300)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    known = set()  # of deliveries; a real receiver keeps them with what it does

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not genuine(self.headers, body):
            self.send_response(401)
        else:
            try:
                self.take(json.loads(body))
                self.send_response(204)
            except (ValueError, TypeError, KeyError):
                self.send_response(400)  # signed, but no event
        self.send_header("Content-Length", "0")
        self.end_headers()

    def take(self, event):
        if event["id"] not in self.known:
            self.known.add(event["id"])
            print(event["id"], event["type"], json.dumps(event["data"]), flush=True)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port, certificate, key = sys.argv[1:]
    server = ThreadingHTTPServer(("", int(port)), Receiver)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True,
                                        do_handshake_on_connect=False)
    server.serve_forever()
