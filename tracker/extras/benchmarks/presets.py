"""Named benchmarks, as data: their targets, directions and columns."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Preset:
    """The layout of a benchmark file of a known collection.

    `targets` maps each target to whether lower is better. A file must have all of them, or with
    `any_target` at least one. A submission may have `ignored_columns`; they are not read.
    """

    kind: str
    targets: dict[str, bool]
    item_column: str = "item"
    fold_column: str | None = None
    any_target: bool = False
    ignored_columns: tuple[str, ...] = ()


# The keys of PRESETS.
PresetName = Literal["gdpa1", "tdc"]
PRESETS: dict[str, Preset] = {
    # Ginkgo Datapoints' antibody developability data set and competition.
    "gdpa1": Preset(
        kind="regression",
        item_column="antibody_name",
        fold_column="hierarchical_cluster_IgG_isotype_stratified_fold",
        targets={
            "HIC": True,
            "PR_CHO": True,
            "AC-SINS_pH7.4": True,
            "Tm2": False,
            "Titer": False,
        },
        ignored_columns=(
            "antibody_id",
            "vh_protein_sequence",
            "vl_protein_sequence",
            "hc_protein_sequence",
            "lc_protein_sequence",
            "hc_dna_sequence",
            "lc_dna_sequence",
            "heavy_aligned_aho",
            "light_aligned_aho",
        ),
    ),
    # Binary tasks of the Therapeutics Data Commons: ADMET group and toxicity.
    "tdc": Preset(
        kind="binary",
        item_column="Drug_ID",
        any_target=True,
        ignored_columns=("Drug",),
        targets=dict.fromkeys(
            (
                "AMES",
                "BBB_Martins",
                "Bioavailability_Ma",
                "CYP1A2_Veith",
                "CYP2C19_Veith",
                "CYP2C9_Substrate_CarbonMangels",
                "CYP2C9_Veith",
                "CYP2D6_Substrate_CarbonMangels",
                "CYP2D6_Veith",
                "CYP3A4_Substrate_CarbonMangels",
                "CYP3A4_Veith",
                "Carcinogens_Lagunin",
                "ClinTox",
                "DILI",
                "HIA_Hou",
                "PAMPA_NCATS",
                "Pgp_Broccatelli",
                "Skin_Reaction",
                "hERG",
                "hERG_Karim",
                "NR-AR",
                "NR-AR-LBD",
                "NR-AhR",
                "NR-Aromatase",
                "NR-ER",
                "NR-ER-LBD",
                "NR-PPAR-gamma",
                "SR-ARE",
                "SR-ATAD5",
                "SR-HSE",
                "SR-MMP",
                "SR-p53",
            ),
            False,
        ),
    ),
}
