-- Title:      Differences between a store's ledger and the one that its files give
-- Reads:      unequal_line
-- Creates:    ledger_difference
-- Note:       A line that the store has and one that the files give are one altered row if they
--             are about the same and each is, of those, the most like the other. Content is NULL
--             on the side that lacks the row.
with numbered_line as (
    select
        kind,
        part,
        subject,
        record,
        content,
        row_id,
        is_held,
        string_split(cast(content as varchar), ',"') as fields,
        row_number() over (order by kind, subject, content, is_held, copy_number) as line_number
    from unequal_line
),

likeness as (
    select
        held.line_number as held_number,
        given.line_number as given_number,
        length(list_intersect(held.fields, given.fields)) as n_same
    from numbered_line as held
    inner join numbered_line as given
        on held.kind = given.kind and held.subject = given.subject and not given.is_held
    where held.is_held
),

-- Of lines that are equally alike, the first goes with the first, the second with the second.
best_pair as (
    select
        held_number,
        given_number,
        row_number() over (partition by held_number order by given_number) as given_position,
        row_number() over (partition by given_number order by held_number) as held_position
    from (
        select
            held_number,
            given_number
        from likeness
        qualify
            rank() over (partition by held_number order by n_same desc) = 1
            and rank() over (partition by given_number order by n_same desc) = 1
    ) as likest_pair
),

altered_line as (
    select
        held_number,
        given_number
    from best_pair
    where given_position = held_position
    qualify
        row_number() over (partition by held_number order by given_number) = 1
        and row_number() over (partition by given_number order by held_number) = 1
),

-- Every line once: an altered row is told of where the store has it.
told_line as (
    select
        numbered_line.line_number as told_number,
        altered_line.given_number
    from numbered_line
    left join altered_line on numbered_line.line_number = altered_line.held_number
    where numbered_line.line_number not in (select pair.given_number from altered_line as pair)
)

select
    told.kind,
    told.part,
    told.record,
    if(told.is_held, told.row_id, null) as row_id,
    if(told.is_held, told.content, null) as held_content,
    if(told.is_held, given.content, told.content) as given_content
from told_line
inner join numbered_line as told on told_line.told_number = told.line_number
left join numbered_line as given on told_line.given_number = given.line_number
