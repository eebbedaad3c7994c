"""
Handles every request before moto: the tests' own endpoint, the count of calls, faults, and the Price List service.

    POST   /kerf-test/rules        a rule (rules.py), answers {"id": "rule-1"}
    DELETE /kerf-test/rules[/ID]   one rule, or all
    GET    /kerf-test/calls        {"CreateFleet": 3, …} since the last DELETE /kerf-test/calls
"""

import collections
import io
import itertools
import json
import re
import socket
import threading
from typing import Any, Callable, Iterable
from urllib.parse import parse_qsl, urlencode

from price_list import PriceList
from rules import Rules

Start = Callable[..., Any]
JSON = [("content-type", "application/json")]
XML = [("content-type", "text/xml;charset=UTF-8")]
# The prefix of page tokens from this module, which removes it before moto gets the token.
ENDLESS = "kerf-endless-"


class FrontDoor:
    def __init__(self, moto: Any, rules: Rules, price_list: PriceList) -> None:
        self._moto = moto
        self._rules = rules
        self._price_list = price_list
        self._calls: collections.Counter[str] = collections.Counter()
        self._lock = threading.Lock()
        self._pages = itertools.count(1)

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        path = environ.get("PATH_INFO", "")
        if path.startswith("/kerf-test/"):
            return self._control(environ["REQUEST_METHOD"], path, body, start)
        text = body.decode("utf-8", "replace")
        action = _action(environ, text)
        with self._lock:
            self._calls[action] += 1
        if self._rules.strikes("throttle", action, text):
            return _refuse(environ, start, "503 Service Unavailable", "RequestLimitExceeded", "Request limit exceeded.")
        if self._rules.strikes("deny", action, text):
            denied = f"You are not authorized to perform this operation: {action}"
            return _refuse(environ, start, "403 Forbidden", "UnauthorizedOperation", denied)
        if endless := self._rules.strikes("endless-pages", action, text):
            return self._endless(environ, start, text, circle=endless.get("circle", False))
        answer = self._answer(environ, body)
        if self._rules.strikes("lose-reply", action, text):
            # The work is done, and the response is lost.
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            raise ConnectionResetError("a test asked for this reply to be lost")
        return _reply(start, *answer)

    def _answer(self, environ: dict[str, Any], body: bytes) -> tuple[str, list[tuple[str, str]], bytes]:
        if "AWSPriceListService.GetProducts" in environ.get("HTTP_X_AMZ_TARGET", ""):
            answer = self._price_list.get_products(json.loads(body or b"{}"))
            return "200 OK", [("content-type", "application/x-amz-json-1.1")], json.dumps(answer).encode()
        environ["wsgi.input"] = io.BytesIO(body)
        environ["CONTENT_LENGTH"] = str(len(body))
        status: list[Any] = []
        chunks = self._moto(environ, lambda code, headers, _exc=None: status.extend((code, headers)))
        content = b"".join(chunks)
        return status[0], status[1], content

    def _endless(self, environ: dict[str, Any], start: Start, body: str, circle: bool) -> Iterable[bytes]:
        """Returns the short first page each time, with a next token: a new one, or one of three in turn."""
        asked = [(key, value) for key, value in parse_qsl(body) if not value.startswith(ENDLESS)]
        asked = [(key, "5" if key == "MaxResults" else value) for key, value in asked]
        code, headers, content = self._answer(environ, urlencode(asked).encode())
        page = next(self._pages)
        token = f"<nextToken>{ENDLESS}{page % 3 if circle else page}</nextToken>".encode()
        content = re.sub(rb"<nextToken>.*?</nextToken>|<nextToken ?/>", b"", content)
        content = re.sub(rb"(</Describe\w+Response>\s*)$", token + rb"\1", content)
        return _reply(start, code, headers, content)

    def _control(self, method: str, path: str, body: bytes, start: Start) -> Iterable[bytes]:
        what, _, name = path.removeprefix("/kerf-test/").partition("/")
        if what == "rules" and method == "POST":
            return _reply(start, "200 OK", JSON, json.dumps({"id": self._rules.add(json.loads(body))}).encode())
        if what == "rules" and method == "DELETE":
            self._rules.remove(name or None)
            return _reply(start, "200 OK", JSON, b"{}")
        if what == "calls":
            with self._lock:
                calls = dict(self._calls)
                if method == "DELETE":
                    self._calls.clear()
            return _reply(start, "200 OK", JSON, json.dumps(calls).encode())
        return _reply(start, "404 Not Found", JSON, json.dumps({"unknown": f"{method} {path}"}).encode())


def _action(environ: dict[str, Any], body: str) -> str:
    """For example `CreateFleet`: from the form for EC2 and IAM, from a header for the JSON services."""
    target = environ.get("HTTP_X_AMZ_TARGET", "")
    found = re.search(r"(?:^|&)Action=(\w+)", body)
    return target.partition(".")[2] or (found.group(1) if found else "unknown")


def _refuse(environ: dict[str, Any], start: Start, status: str, code: str, message: str) -> Iterable[bytes]:
    if environ.get("HTTP_X_AMZ_TARGET"):
        kind = "ThrottlingException" if code == "RequestLimitExceeded" else "AccessDeniedException"
        status = "400 Bad Request"
        return _reply(start, status, JSON, json.dumps({"__type": kind, "message": message}).encode())
    error = f"<Code>{code}</Code><Message>{message}</Message>"
    whole = f"<Response><Errors><Error>{error}</Error></Errors><RequestID>0-0</RequestID></Response>"
    if "/iam/" in environ.get("HTTP_AUTHORIZATION", ""):
        kind = "Throttling" if code == "RequestLimitExceeded" else "AccessDenied"
        error = f"<Type>Sender</Type><Code>{kind}</Code><Message>{message}</Message>"
        whole = f"<ErrorResponse><Error>{error}</Error><RequestId>0-0</RequestId></ErrorResponse>"
    return _reply(start, status, XML, whole.encode())


def _reply(start: Start, status: str, headers: list[tuple[str, str]], content: bytes) -> Iterable[bytes]:
    kept = [(key, value) for key, value in headers if key.lower() != "content-length"]
    start(status, [*kept, ("content-length", str(len(content)))])
    return [content]
