#!/usr/bin/env python3
"""Make data/instance-types.json, data/regions/<region>.json and, for regions without prices, data/offerings/<region>.json.

    python3 -m venv /tmp/figures && /tmp/figures/bin/pip install --no-deps moto==5.2.5
    python3 scripts/figures/build_figures.py \
        --moto /tmp/figures/lib/python3.*/site-packages/moto \
        --prices ../shared/data/prices/linux-prices-us-eu.csv \
        --branch-interfaces ../shared/data/instance-types/catalogue-us-east-1.json \
                            ../shared/data/instance-types/karpenter-allocatable.json \
        --facts-as-of 2026-10-27T00:00:00Z --prices-as-of 2026-07-01T00:00:00Z --out data

Standard library only; moto is read as files, never imported. The same input gives the same bytes.
"""

import argparse
import csv
import gzip
import json
import re
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

POD_ENI = "vpc.amazonaws.com/pod-eni"
ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}

COLUMNS = [
    "name",
    "architecture",
    "vcpus",
    "memoryMib",
    "hypervisor",
    "bareMetal",
    "usageClasses",
    "cpuManufacturer",
    "sustainedClockMhz",
    "encryptionInTransit",
    "nitroEnclaves",
    "maxNetworkInterfaces",
    "ipv4PerInterface",
    "efaInterfaces",
    "branchInterfaces",
    "baselineNetworkMbps",
    "ebsMbps",
    "ebsAttachments",
    "instanceStoreGb",
    "localNvmeGb",
    "gpus",
    "neuron",
    "accelerators",
    "networkCards",
    "nestedVirtualization",
    "placementStrategies",
]
PLACEMENT_STRATEGIES = ["cluster", "partition", "spread"]


def architecture_of(described):
    """The first architecture that Kubernetes nodes run on, or None (C1)."""
    for name in described["ProcessorInfo"]["SupportedArchitectures"]:
        if name in ARCHITECTURES:
            return ARCHITECTURES[name]
    return None


def thousandfold(amount):
    """2.3 (GHz, Gbps) as 2300, without the noise of floating point."""
    return int((Decimal(str(amount)) * 1000).to_integral_value())


def baseline_network_mbps(network):
    """The baseline of a single card. Several cards may share a limit or give incomplete values: then EC2's value for the whole type."""
    if len(network["NetworkCards"]) == 1:
        return thousandfold(network["NetworkCards"][0]["BaselineBandwidthInGbps"])
    cards, gigabits = re.fullmatch(r"(?:(\d+)x )?(\d+) Gigabit", network["NetworkPerformance"]).groups(default="1")
    return int(cards) * int(gigabits) * 1000


def card_runs(cards):
    """Cards by index; equal cards as [count, interfaces, supports EFA]. None for a single card: the other columns describe it."""
    if len(cards) == 1:
        return None
    runs = []
    for card in sorted(cards, key=lambda each: each["NetworkCardIndex"]):
        kind = [card["MaximumNetworkInterfaces"], "efa" in card["InterfaceTypes"]]
        if runs and runs[-1][1:] == kind:
            runs[-1][0] += 1
        else:
            runs.append([1, *kind])
    return runs


def placement_strategies(described):
    """None if all are supported, as for most types."""
    supported = described["PlacementGroupInfo"]["SupportedStrategies"]
    known = [each for each in PLACEMENT_STRATEGIES if each in supported]
    return None if known == PLACEMENT_STRATEGIES else known


def ebs_attachments(described):
    """EC2 gives 39 or 40 for Xen types, of which the EBS CSI driver uses 39."""
    return 39 if described.get("Hypervisor") == "xen" else described.get("EbsInfo", {}).get("MaximumEbsAttachments")


def facts_row(described, branch_interfaces):
    """One type's values in the order of COLUMNS; trailing absent values are left off."""
    name = described["InstanceType"]
    network = described["NetworkInfo"]
    processor = described["ProcessorInfo"]
    clock = processor.get("SustainedClockSpeedInGhz")
    default_card = next(
        card for card in network["NetworkCards"] if card["NetworkCardIndex"] == network["DefaultNetworkCardIndex"]
    )
    storage = described.get("InstanceStorageInfo", {})
    ebs = described.get("EbsInfo", {})
    gpus = described.get("GpuInfo", {}).get("Gpus", [])
    neuron = described.get("NeuronInfo", {}).get("NeuronDevices", [])
    inference = [] if neuron else described.get("InferenceAcceleratorInfo", {}).get("Accelerators", [])
    values = {
        "name": name,
        "architecture": architecture_of(described),
        "vcpus": described["VCpuInfo"]["DefaultVCpus"],
        "memoryMib": described["MemoryInfo"]["SizeInMiB"],
        "hypervisor": described.get("Hypervisor", ""),
        "bareMetal": described["BareMetal"],
        "usageClasses": [each for each in ("on-demand", "spot") if each in described["SupportedUsageClasses"]],
        "cpuManufacturer": processor["Manufacturer"].lower() if "Manufacturer" in processor else None,
        "sustainedClockMhz": None if clock is None else thousandfold(clock),
        "encryptionInTransit": network["EncryptionInTransitSupported"],
        "nitroEnclaves": described["NitroEnclavesSupport"] == "supported",
        "maxNetworkInterfaces": default_card["MaximumNetworkInterfaces"],
        "ipv4PerInterface": network["Ipv4AddressesPerInterface"],
        "efaInterfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        "branchInterfaces": branch_interfaces.get(name),
        "baselineNetworkMbps": baseline_network_mbps(network),
        "ebsMbps": ebs["EbsOptimizedInfo"]["MaximumBandwidthInMbps"]
        if ebs.get("EbsOptimizedSupport") == "default"
        else None,
        "ebsAttachments": ebs_attachments(described),
        "instanceStoreGb": storage.get("TotalSizeInGB"),
        "localNvmeGb": storage.get("TotalSizeInGB") if storage.get("NvmeSupport") != "unsupported" else None,
        "gpus": [[gpu["Name"], gpu["Manufacturer"], gpu["Count"], gpu["MemoryInfo"]["SizeInMiB"]] for gpu in gpus],
        "neuron": [[device["Name"], device["Count"], device["CoreInfo"]["Count"]] for device in neuron],
        "accelerators": [[each["Name"], each["Manufacturer"], each["Count"]] for each in inference],
        "networkCards": card_runs(network["NetworkCards"]),
        "nestedVirtualization": True if "nested-virtualization" in processor.get("SupportedFeatures", []) else None,
        "placementStrategies": placement_strategies(described),
    }
    row = [None if values[column] == [] else values[column] for column in COLUMNS]
    while row[-1] is None:
        row.pop()
    return row


def read_branch_interfaces(paths):
    """Branch interfaces by type. If several files contain a type, the first is used."""
    known = {}
    for path in paths:
        document = json.loads(path.read_text())
        if "instanceTypes" in document:
            entries = [(each["name"], each["capacity"]) for each in document["instanceTypes"]]
        else:
            entries = [(name, each["allocatable"]) for name, each in document.items()]
        for name, resources in entries:
            if POD_ENI in resources:
                known.setdefault(name, int(resources[POD_ENI]))
    return known


def read_prices(path):
    """{region: {type: (on-demand, average spot or None)}}, USD an hour."""
    prices = defaultdict(dict)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            spot = row["spot_avg_usd_per_hour"]
            prices[row["region_code"]][row["instance_type"]] = (
                float(row["ondemand_usd_per_hour"]),
                float(spot) if spot else None,
            )
    return prices


def read_gzip(path):
    with gzip.open(path, "rt") as file:
        return json.load(file)


def types_by_location(path):
    found = defaultdict(set)
    for offering in read_gzip(path):
        found[offering["Location"]].add(offering["InstanceType"])
    return found


def zone_ids(by_name, by_id):
    """Pair zone names with zone ids: the two tables list the same types for the same zone. Ties are broken by name."""
    pairs = {}
    free = sorted(by_id)
    for zone in sorted(by_name):
        match = next((each for each in free if by_id[each] == by_name[zone]), None)
        if match is None:
            raise SystemExit(f"{zone}: no zone id has the same instance types")
        pairs[zone] = match
        free.remove(match)
    return pairs


def region_document(region, moto, prices, known_types, as_of):
    offerings = moto / "ec2" / "resources" / "instance_type_offerings"
    by_name = types_by_location(offerings / "availability-zone" / f"{region}.json.gz")
    by_id = types_by_location(offerings / "availability-zone-id" / f"{region}.json.gz")
    rows = {}
    for name in sorted(set().union(*by_name.values()) & known_types):
        letters = "".join(sorted(zone.removeprefix(region) for zone, types in by_name.items() if name in types))
        row = [letters, *prices.get(name, (None, None))]
        while row[-1] is None:
            row.pop()
        rows[name] = row
    return {"region": region, "asOf": as_of, "zones": zone_ids(by_name, by_id), "types": rows}


def write_lines(path, head, key, brackets, lines):
    """One entry on each line: a changed figure changes one line."""
    text = json.dumps(head, separators=(",", ":"))[:-1]
    body = ",\n".join(lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{text},"{key}":{brackets[0]}\n{body}\n{brackets[1]}}}\n')


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moto", type=Path, required=True, help="the folder of the package moto 5.2.5")
    parser.add_argument("--prices", type=Path, required=True, help="the CSV of Linux prices")
    parser.add_argument("--branch-interfaces", type=Path, nargs="+", required=True, help="JSON with pod-eni capacities")
    parser.add_argument("--facts-as-of", required=True, help="RFC 3339: the date of moto's tables")
    parser.add_argument("--prices-as-of", required=True, help="RFC 3339: the date of the prices")
    parser.add_argument("--out", type=Path, required=True, help="the data folder to write")
    options = parser.parse_args()

    described = read_gzip(options.moto / "ec2" / "resources" / "instance_types.json.gz")
    usable = {
        name: each
        for name, each in described.items()
        if "hvm" in each["SupportedVirtualizationTypes"] and architecture_of(each)
    }
    branch_interfaces = read_branch_interfaces(options.branch_interfaces)
    rows = [facts_row(usable[name], branch_interfaces) for name in sorted(usable)]
    head = {"asOf": options.facts_as_of, "columns": COLUMNS}
    write_lines(options.out / "instance-types.json", head, "rows", "[]", [compact(row) for row in rows])

    prices = read_prices(options.prices)
    tables = options.moto / "ec2" / "resources" / "instance_type_offerings" / "availability-zone"
    regions = {path.name.removesuffix(".json.gz") for path in tables.iterdir()}
    for region in sorted(regions | set(prices)):
        known = prices.get(region)
        as_of = options.facts_as_of if known is None else options.prices_as_of
        document = region_document(region, options.moto, known or {}, set(usable), as_of)
        types = document.pop("types")
        lines = [f"{compact(name)}:{compact(row)}" for name, row in types.items()]
        folder = options.out / ("offerings" if known is None else "regions")
        write_lines(folder / f"{region}.json", document, "types", "{}", lines)


if __name__ == "__main__":
    main()
