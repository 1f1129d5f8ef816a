-- Title:   Slates that count EMA's decisions
-- Formula: those whose plan says so, and those without a plan, which have the default plan
-- Units:   none; a plan without the setting is of when EMA's table was not read
-- Grain:   slate_id
select slate_id
from slate
where plan is null or coalesce((plan ->> 'ema_approvals') = 'true', false)
