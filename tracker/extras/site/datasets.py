"""Describes a site's data for machines: a Croissant dataset, and each slate in schema.org's terms.

Croissant 1.0 (https://docs.mlcommons.org/croissant/docs/croissant-spec.html) is schema.org's
Dataset with files, hashes and columns; tools for machine learning load its record sets by name.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup

_CR = (
    "citeAs",
    "column",
    "extract",
    "field",
    "fileProperty",
    "fileObject",
    "fileSet",
    "format",
    "includes",
    "isLiveDataset",
    "jsonPath",
    "key",
    "md5",
    "parentField",
    "path",
    "recordSet",
    "references",
    "regex",
    "repeated",
    "replace",
    "samplingRate",
    "separator",
    "source",
    "subField",
    "transform",
    "equivalentProperty",
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _CR},
}
# The schema.org type of each Table Schema type.
_TYPES = {
    "boolean": "sc:Boolean",
    "date": "sc:Date",
    "datetime": "sc:DateTime",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "string": "sc:Text",
}


def croissant(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Frictionless package as a Croissant dataset; tables are its record sets."""
    resources = package["resources"]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": package["name"],
        "description": package["description"],
        "datePublished": package["created"][:10],
        "isLiveDataset": True,
        "distribution": [_file(one) for one in resources],
        "recordSet": [_records(one) for one in resources if "schema" in one],
    }


def _file(resource: Mapping[str, Any]) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": resource["name"],
        "name": resource["name"],
        "contentUrl": resource["path"],
        "encodingFormat": resource["mediatype"],
        "contentSize": f"{resource['bytes']} B",
        "sha256": resource["hash"].removeprefix("sha256:"),
    }


def _records(resource: Mapping[str, Any]) -> dict[str, Any]:
    name = f"{resource['name']}-rows"
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{one['name']}",
                "name": one["name"],
                "dataType": _TYPES[one["type"]],
                "source": {
                    "fileObject": {"@id": resource["name"]},
                    "extract": {"column": one["name"]},
                },
            }
            for one in resource["schema"]["fields"]
        ],
    }


def of_slate(
    name: str, description: str, sha256: str, frozen_on: str, files: Iterable[tuple[str, str, str]]
) -> Markup:
    """Return a slate as JSON of a schema.org dataset, safe inside a script element.

    `files` are the addresses of its downloads with their media types and hashes.
    """
    dataset = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": name,
        "description": description,
        "identifier": f"sha256:{sha256}",
        "dateCreated": frozen_on,
        "distribution": [
            {
                "@type": "DataDownload",
                "contentUrl": address,
                "encodingFormat": mediatype,
                "sha256": digest,
            }
            for address, mediatype, digest in files
        ],
    }
    # No text can end the element or begin another.
    text = json.dumps(dataset, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")
    return Markup(text)  # noqa: S704
