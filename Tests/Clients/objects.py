"""A server of objects for tests: moto behind what it leaves out.

objects.py DIRECTORY

It listens on a free port of 127.0.0.1, and writes its number into DIRECTORY/port when it is ready. One
request is served at a time, so that conditions hold, which moto asks before it puts. Before moto sees a
request its signature is checked by botocore, with the key "tester" and the secret in DIRECTORY/secret, and
its content by the hash that was signed.

What a file in DIRECTORY says is done instead of asking moto:

faults    a line for each answer, which counts once: METHOD, a part of the path, and STATUS CODE; or "lost", which
          asks moto and does not say what came of it; or "body" FILE, which answers with the content of a file
date      by how many seconds the date that it tells is ahead

DIRECTORY/log gets a line for each request: METHOD, path, condition, status. There is a bucket "lake"; whoever asks
for "/-/save" has all its objects as files below DIRECTORY/objects.
"""

import calendar
import hashlib
import io
import os
import sys
import threading
import time
import urllib.parse

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication, MotoRequestHandler, create_backend_app,
)
from moto.s3.models import s3_backends
from werkzeug.serving import make_server

directory = sys.argv[1]
lock = threading.Lock()
bucket = s3_backends["123456789012"]["aws"].create_bucket("lake", "us-east-1")
moto = DomainDispatcherApplication(create_backend_app)


def read(name):
    try:
        with open(os.path.join(directory, name)) as file:
            return file.read()
    except FileNotFoundError:
        return ""


def refusal(status, code, message=""):
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
    )
    return status, [("Content-Type", "application/xml")], body.encode()


def check(environ, body):
    """What is wrong with a request; None where nothing is."""
    headers = {
        name[5:].replace("_", "-").lower(): value
        for name, value in environ.items() if name.startswith("HTTP_")
    }
    authorization = headers.get("authorization", "")
    if "Credential=tester/" not in authorization:
        return refusal(403, "InvalidAccessKeyId", "The key is not known")
    if headers.get("x-amz-content-sha256") != hashlib.sha256(body).hexdigest():
        return refusal(400, "XAmzContentSHA256Mismatch", "The content is another one")
    names = authorization.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    unsigned = {name for name in headers if name.startswith(("x-amz-", "if-"))} - set(names)
    if unsigned:
        return refusal(403, "AccessDenied", f"Not signed: {unsigned}")
    path, _, query = environ["REQUEST_URI"].partition("?")
    url = f"http://{headers['host']}{path}"
    parameters = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
    request = AWSRequest(
        environ["REQUEST_METHOD"], url, headers={name: headers[name] for name in names},
        params=parameters, data=body)
    moment = headers["x-amz-date"]
    request.context["timestamp"] = moment
    scope = authorization.partition("Credential=")[2].partition(",")[0].split("/")
    signer = S3SigV4Auth(Credentials("tester", read("secret")), "s3", scope[2])
    canonical = signer.canonical_request(request)
    signature = signer.signature(signer.string_to_sign(request, canonical), request)
    if not authorization.endswith(f"Signature={signature}"):
        return refusal(403, "SignatureDoesNotMatch", "The signature is another one")
    if abs(calendar.timegm(time.strptime(moment, "%Y%m%dT%H%M%SZ")) - time.time()) > 900:
        return refusal(403, "RequestTimeTooSkewed", "The difference is too large.")
    return None


def fault(method, path):
    """The first of the faults that is meant for a request."""
    lines = read("faults").splitlines()
    for number, line in enumerate(lines):
        wanted, part, *answer = line.split()
        if wanted == method and part in path:
            del lines[number]
            with open(os.path.join(directory, "faults"), "w") as file:
                file.write("".join(f"{line}\n" for line in lines))
            return answer
    return None


def ask(environ, body):
    answer = []
    environ["wsgi.input"] = io.BytesIO(body)
    content = b"".join(moto(environ, lambda status, headers, _=None: answer.extend((status, headers))))
    return int(answer[0].split()[0]), answer[1], content


def save():
    for key, versions in bucket.keys.lists():
        path = os.path.join(directory, "objects", key)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(versions[-1].value)
    return 200, [], b""


def application(environ, start):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    method = environ["REQUEST_METHOD"]
    with lock:
        planned = fault(method, environ["REQUEST_URI"])
        if environ["REQUEST_URI"] == "/-/save":
            status, headers, content = save()
        elif planned and planned[0] == "body":
            with open(planned[1], "rb") as file:
                status, headers, content = 200, [], file.read()
        elif planned and planned[0] == "lost":
            ask(environ, body)
            status, headers, content = refusal(500, "InternalError", "It is done, and not said")
        elif planned:
            status, headers, content = refusal(int(planned[0]), planned[1], "As planned")
        else:
            status, headers, content = check(environ, body) or ask(environ, body)
        condition = environ.get("HTTP_IF_NONE_MATCH") or environ.get("HTTP_IF_MATCH") or "-"
        with open(os.path.join(directory, "log"), "a") as log:
            log.write(f"{method} {environ['REQUEST_URI']} {condition} {status}\n")
    told = {name.lower(): value for name, value in headers}
    told.pop("date", None)
    # What HEAD answers has the length of the object.
    if method != "HEAD":
        told["content-length"] = str(len(content))
    start(f"{status} Answer", list(told.items()))
    return [b"" if method == "HEAD" else content]


class Handler(MotoRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string(time.time() + int(read("date") or 0))


server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Handler)
with open(os.path.join(directory, "port.new"), "w") as file:
    file.write(str(server.port))
os.rename(os.path.join(directory, "port.new"), os.path.join(directory, "port"))
server.serve_forever()
