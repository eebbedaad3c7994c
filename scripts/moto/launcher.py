"""
Starts moto (EC2, SSM, IAM) with what Kerf's tests need beyond it: `launcher.py --port 5555 --prices us-east-1.json`.

Every other module of this folder adds one feature. All of it runs in one process, stores nothing on disk
and listens on 127.0.0.1 alone.
"""

import argparse
import json
import os
import signal
import sys

# Before the import of moto: its own 1,301 images are not used and take seconds to create.
os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"

from moto.moto_server.werkzeug_app import (  # noqa: E402
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import run_simple  # noqa: E402

import fleets  # noqa: E402
import identities  # noqa: E402
import images  # noqa: E402
import instance_status  # noqa: E402
import instance_types  # noqa: E402
import reservations  # noqa: E402
from front_door import FrontDoor  # noqa: E402
from price_list import PriceList  # noqa: E402
from prices import Prices  # noqa: E402
from rules import Rules  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--prices", required=True, help="a file of data/regions")
    options = parser.parse_args()
    # A signal ends the process through sys.exit, so that nothing is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

    with open(options.prices, encoding="utf-8") as file:
        prices = Prices(json.load(file))
    rules = Rules()
    fleets.install(rules, prices)
    reservations.install()
    instance_types.install(prices)
    identities.install()
    images.install()
    instance_status.install(rules)

    moto = DomainDispatcherApplication(create_backend_app)
    door = FrontDoor(moto, rules, PriceList(prices))
    run_simple("127.0.0.1", options.port, door, threaded=True, request_handler=MotoRequestHandler)


main()
