-- Title:      Studies of which two exports of one day say different things
-- Reads:      new_trial, release, trial
select
    new_trial.source_key,
    new_trial.nct_id,
    release.origin,
    count(*) over () as n_problems
from new_trial
inner join trial on new_trial.nct_id = trial.nct_id
inner join release on trial.release_id = release.release_id
where
    new_trial.is_changed
    and release.source = 'ictrp'
    and release.released_on = cast(:released_on as date)
order by new_trial.source_key
limit :limit
