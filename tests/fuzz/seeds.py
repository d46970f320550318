"""Small files from which fuzzing starts, and the words that a fuzzer may put together."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

BROKEN = Path(__file__).parent / "broken"
"""Inputs that once broke a reader: broken/<reader>/<what it did>."""

_ARFF = b"""% x
@relation 'r: -C 1'
@attribute a numeric
@attribute 'b c' {x,'y z',"?"}
@attribute l {0,1}
@data
1.5,x,0
?,'y z',1
-1e-3,"?",1
"""
_SPARSE = (
    b"@relation r\n@attribute a real\n@attribute b {x,y}\n@attribute l {1,0}\n@data\n{0 1,2 0}\n{1 'y'}\n{}\n"
)
_TREE = (
    b"@relation r\n@attribute a integer\n@attribute c hierarchical 1,1/1,1/2,2/1/3\n@data\n1,1/1@2\n?,2/1/3\n"
)
_GRAPH = (
    b"@RELATION r\n@ATTRIBUTE a numeric\n@ATTRIBUTE c hierarchical root/A,A/B\n@DATA\n1,B\n{0 2,1 A}\n2,\n"
)
_XML = b'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
_XML += b'<label name="a"><label name="b&#65;"/></label>\n</labels>\n'

SEEDS: dict[str, tuple[bytes, ...]] = {
    "arff": (_ARFF, _SPARSE, _TREE, _GRAPH),
    "xml": (_XML, b"<labels><label name='a'/></labels>", b'<!DOCTYPE x [<!ENTITY e "f">]><labels/>'),
    "csv": (b"a,b,l\n1,x,0\n2,y,1\n,?,1\n", b'"a ""b""",c,l\r\n"1,5",2,0\r\n', b"a,l\n1,0\n2,2\n"),
    "npz": tuple(bytes([kind, 150 + kind, 3, 0, 1, 2, 10, 3, 0, 9, 7]) for kind in range(7)),
    "edge list": (b"parent,child\nroot,a\na,b\nx,c\n", b'a,b\n"b",c\n,a\n', b"a,b\nb,a\n"),
    "packed": (lzma.compress(_ARFF), gzip.compress(_ARFF), b"\xfd7zXZ\x00", b"\x1f\x8b\x08", _ARFF),
    "catalog": (
        b"datasets:\n  - id: x\n    format: mulan\n    files:\n      train: {name: a.arff, sha256: "
        + b"0" * 64
        + b", sources: [https://example.org/a]}\n    label_count: -1\n",
        b"datasets:\n- {id: y, all: &a b.arff, drop: [*a], nominal: [a], document_frequency: 0.5}\n",
    ),
}

WORDS: dict[str, tuple[str, ...]] = {
    "arff": (
        *("@relation", "@attribute ", "@data\n", "numeric", "hierarchical ", "{0,1}", "{", "}", "'", '"'),
        *("\\", "%", "?", ",", "\n", "\t", "@", "/", "root/", "-C 2", "1e999", "nan", "0x1", "1_0", "\r\n"),
    ),
    "xml": (
        *(
            "<labels>",
            "</labels>",
            "<label name='",
            "'/>",
            "<!DOCTYPE ",
            "<!ENTITY ",
            "&#",
            "&x;",
            "<![CDATA[",
        ),
        *(
            "<?xml version='1.0' encoding='",
            "utf-16",
            "idna",
            "rot13",
            "shift_jis",
            "'?>",
            "xmlns:l='l'",
            "<l:",
        ),
    ),
    "csv": ('"', '""', ",", "\n", "\r", "?", "1e999", "nan", "inf", "1_0", "\t", ";", "0x1", "-0"),
    "npz": (),
    "edge list": ("parent,child\n", "root", "a", "b", "c", ",", "\n", '"', "\r"),
    "packed": (),
    "catalog": (
        *("datasets:", "- id: ", "files:", "train:", "all: ", "label_count: ", "sha256: ", "sources: ["),
        *("name: ", "&a ", "*a", "<<: ", "!!binary ", "!!python/object/apply:os.system ", "{", "}", "[", "]"),
        *("!!timestamp x", "2001-99-99", "!!float x", "? ", "| ", "drop: [", "nominal: [", "\n  "),
    ),
}


def starting_inputs(reader: str) -> tuple[bytes, ...]:
    """Return the seeds of a reader, and what once broke it."""
    return (*SEEDS[reader], *(content for _, content in broken_inputs(reader)))


def broken_inputs(reader: str) -> list[tuple[str, bytes]]:
    """Return name and content of what once broke a reader, in the order of the names."""
    folder = BROKEN / reader.replace(" ", "-")
    return [(path.name, path.read_bytes()) for path in sorted(folder.glob("*"))]
