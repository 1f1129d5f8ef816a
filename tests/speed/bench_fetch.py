"""Speed of fetching studies from a server on the loopback: 600,000 in pages of 1,000.

    .venv/bin/python tests/speed/bench_fetch.py [--studies 600000]

The server runs in a process of its own and has its pages ready. Prints studies a second, the time
as a multiple of requesting the same pages and throwing them away, and the peak of memory of the
process that fetches.
"""

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import httpx
from evidence import study

from tracker.extras.refresh.fetching import Web, trials
from tracker.extras.refresh.fetching.known import Known
from tracker.request_limits import RequestLimits

_PAGE = 1_000
_ARMS = [{"label": f"Arm {number}", "type": "EXPERIMENTAL"} for number in range(4)]


def _serve(n_studies: int, told: Connection) -> None:
    studies = [study(f"NCTPPPPP{number:03}", arms=_ARMS) for number in range(_PAGE)]
    ready = json.dumps(studies)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_words: object) -> None:
            """Print nothing."""

        def do_GET(self) -> None:
            """Answer the version or a page."""
            parts = urlsplit(self.path)
            if parts.path.endswith("/version"):
                content = b'{"dataTimestamp": "2026-01-31T09:00:05"}'
            else:
                token = parse_qs(parts.query).get("pageToken", ["0"])[0]
                following = int(token) + 1
                more = f', "nextPageToken": "{following}"' if following * _PAGE < n_studies else ""
                page = ready.replace("PPPPP", f"{int(token):05}")
                content = f'{{"totalCount": {n_studies}, "studies": {page}{more}}}'.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.send(server.server_address[1])
    server.serve_forever()


def main() -> None:
    """Fetch and time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=600_000)
    n_studies = parser.parse_args().studies
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    server = context.Process(target=_serve, args=(n_studies, there), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}"
    started = time.perf_counter()
    with httpx.Client() as client:
        for page in range(n_studies // _PAGE):
            client.get(f"{url}/studies", params={"pageToken": str(page)})
    plain = time.perf_counter() - started
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        with Web([url], limits=RequestLimits(between_pages=0)) as web:
            (path,) = trials.fetch(web, url, Path(folder), Known())
        seconds = time.perf_counter() - started
        size = path.stat().st_size
        with path.open("rb") as lines:
            n_lines = sum(1 for _ in lines)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    server.terminate()
    print(  # noqa: T201 - prints what it measures
        f"{n_lines:,} studies, {size / 1e6:,.0f} MB: {seconds:.1f} s, {n_lines / seconds:,.0f} a "
        f"second, {seconds / plain:.1f} times the requests alone; peak {peak / 1e3:,.0f} MB "
        f"({before / 1e3:,.0f} MB before)"
    )


if __name__ == "__main__":
    main()
