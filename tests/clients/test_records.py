"""The reference libraries of SPDX and in-toto read the records of every release; each shows that it can refuse one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from real import Home, client

from conftest import FLAVORS

pytestmark = pytest.mark.client

IN_TOTO = """
import sys
from google.protobuf.json_format import MessageToDict, Parse, ParseDict
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

statement = Parse(open(sys.argv[1]).read(), statement_pb2.Statement())
Statement.copy_from_pb(statement).validate()
provenance = ParseDict(MessageToDict(statement.predicate), provenance_pb2.Provenance())
print(provenance.build_definition.external_parameters["flavor"])
"""


@pytest.fixture(scope="module")
def releases(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from click.testing import CliRunner

    from skillgen.cli.pack import command

    out = tmp_path_factory.mktemp("releases")
    arguments = ["--out", str(out), "--dist", str(built / "dist")]
    assert CliRunner().invoke(command, arguments, standalone_mode=False).return_value == 0
    return out


def spdx(home: Home, file: Path) -> int:
    python = Path(client("records"))
    return home.run(python.parent / "pyspdxtools", "--infile", file).code


def in_toto(home: Home, file: Path) -> tuple[int, str]:
    done = home.run(client("records"), "-c", IN_TOTO, file)
    return done.code, done.out.strip()


@pytest.mark.parametrize("flavor", FLAVORS)
def test_the_list_of_files_is_valid_spdx(releases: Path, home: Home, flavor: str) -> None:
    assert spdx(home, releases / flavor / "sbom.spdx.json") == 0


def test_spdx_refuses_a_list_without_a_verification_code(releases: Path, home: Home, tmp_path: Path) -> None:
    document = json.loads((releases / "omc" / "sbom.spdx.json").read_text())
    document["packages"][0]["packageVerificationCode"] = {"packageVerificationCodeValue": "x"}
    (tmp_path / "bad.spdx.json").write_text(json.dumps(document))
    assert spdx(home, tmp_path / "bad.spdx.json") == 1


@pytest.mark.parametrize("flavor", FLAVORS)
def test_the_provenance_is_a_valid_statement(releases: Path, home: Home, flavor: str) -> None:
    assert in_toto(home, releases / flavor / "provenance.json") == (0, flavor)


def test_in_toto_refuses_a_statement_without_a_digest(releases: Path, home: Home, tmp_path: Path) -> None:
    statement = json.loads((releases / "omc" / "provenance.json").read_text())
    statement["subject"][0]["digest"] = {}
    (tmp_path / "bad.json").write_text(json.dumps(statement))
    assert in_toto(home, tmp_path / "bad.json")[0] == 1
