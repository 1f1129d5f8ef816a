-- Title:      Ranked labels of an export whose score is above that of the label ranked before
-- Reads:      staged_label
-- Note:       Equal scores may have any order. A rank without a score may stand only among others
--             without one.
with ranked as (
    select
        row_number,
        item,
        rank,
        score,
        lag(score) over before_it as score_before,
        lag(rank) over before_it as rank_before
    from staged_label
    where item is not null and rank is not null
    window before_it as (partition by item order by rank, row_number)
)

select
    row_number,
    'rank' as column_name,
    concat(
        'rank ', rank, ' of ''', item, ''' has ',
        if(score is null, 'no score', concat('score ', score)), ', rank ', rank_before, ' ',
        if(score_before is null, 'none', concat('score ', score_before))
    ) as message
from ranked
where
    rank_before is not null
    and (score > score_before or (score is null) != (score_before is null))
