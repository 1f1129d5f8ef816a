"""What ChEMBL's releases have of molecules, to recognise them under another identifier."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "molecule_key",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("chembl_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.CheckConstraint(
            "kind in ('chembl_id', 'inchi_key', 'unii', 'name')", name="molecule_key_kind"
        ),
        comment="Keys by which a molecule of a ChEMBL release is known again under another id",
    )


def downgrade() -> None:
    op.drop_table("molecule_key")
