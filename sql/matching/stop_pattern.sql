-- Title:   Patterns by which the reason for stopping a study is known
-- Formula: a list; the reason of a text is that of the first pattern, by position, that it has; a
--          text is compared with a pattern only if it contains the pattern's stem
-- Source:  docs/metrics.md#stop_pattern
-- Units:   stop_reason is efficacy, safety, other or unknown; pattern is a regular expression that
--          RE2 and Java read alike, over text as stop_reason folds it: in lower case, with one
--          blank for blanks, dashes and slashes, and without what the text denies
-- Grain:   position
select
    listed.position,
    listed.stop_reason,
    listed.stem,
    listed.pattern
from (
    values
    -- Words of efficacy and safety that say something else: futile recruitment, the death of an
    -- investigator, data that are missing, a review that was planned.
    (
        101, 'other', 'futil',
        'futil\w* ((in|of|for|to|with) )?((the|patient) )?(recruit|enrol|accru)'
    ),
    (102, 'other', 'futil', '\b(recruit\w*|enrol\w*|accru\w*|operational|administrative) futil'),
    (103, 'other', 'cost', 'cost (in)?effective'),
    (
        104, 'other', 'died',
        '\b(pi|\w*investigator|researcher|coordinator|chair|physician|surgeon|professor|dr)\b( '
        || '\w+){0,3} died'
    ),
    (
        105, 'other', 'passed away',
        '\b(pi|\w*investigator|researcher|coordinator|chair|physician|surgeon|professor|dr)\b( '
        || '\w+){0,3} passed away'
    ),
    (
        106, 'other', 'death',
        'death of (the |our |its )?(\w+ )?(pi\b|principal|\w*investigator|researcher|sponsor|dr\b)'
    ),
    (
        107, 'other', 'respon',
        '(no|lack of|poor) response (from|by|to (the )?(recruit|invit|advert))'
    ),
    (
        108, 'other', 'anal',
        '^(\w+ )*(recruit|enrol|accru|paus|suspen|clos|halt|hold)\w*( \w+)* (for|pending|until|to '
        || 'conduct|to perform|awaiting)( \w+)* analys[ei]s( of (the )?data)?[.]?$'
    ),
    (109, 'other', 'toxicit', '^(\w+ ){0,5}toxicity (evaluation|analysis|review|assessment)[.]?$'),
    (
        110, 'other', 'efficacy ',
        '\b(no|not|lack|insufficient|inadequate|without|unable)\b[^.;]{0,40}\befficacy (data|'
        || 'evaluat|analys|assess)'
    ),
    (111, 'other', 'dlt', '\bdlts? (\w+ )?(evaluat|assess|review|period|window|defin)'),
    (112, 'other', 'planned safety', '\bplanned safety (\w+ )?(stop|review|analys|assess|pause)'),
    -- A result that was not reached. These come before the successes, whose words they share.
    (
        201, 'efficacy', 'not',
        '\b(not|neither)( \w+){0,2} (meet|met|meeting|reach|reached|reaching|achiev\w+|'
        || 'attain\w*)\b[^.;]{0,60}(end ?point|primary (outcome|objective|goal|efficacy)|main '
        || 'outcome|pre ?defined|pre ?specified|statistical|significan|superior|efficacy|response|'
        || '(success|efficacy|continu\w+|go no go) criteri)'
    ),
    (
        202, 'efficacy', 'fail',
        '\bfail(ed|s|ing|ure)? (to|of) (\w+ )?(meet\w*|reach\w*|achiev\w+|attain\w*|show\w*|'
        || 'demonstrat\w+|prove|improve|reduce|prevent|slow)\b[^.;]{0,80}(end ?point|outcome|'
        || 'primary objective|statistical|significan|superior|effic|effect|benefit|improve|'
        || 'differen|respon|activity|criteri|mortality|progression|reduc)'
    ),
    (
        203, 'efficacy', 'point',
        'end ?points?\b[^.;]{0,50}\b(not|fail\w*|miss\w*|unlikely|neither|unmet|lower|negative)\b'
    ),
    (204, 'efficacy', 'miss', 'miss(ed|ing|es)? (of )?(the |its |their )?(\w+ )?end ?point'),
    (
        205, 'efficacy', 'unlikely',
        'unlikely[^.;]{0,60}(end ?point|objective|benefit|effic|effect|success|superior|differen|'
        || 'improve|positive|hypothes)'
    ),
    (
        206, 'efficacy', 'low',
        '\blow(er)? (\w+ ){0,2}(probability|likelihood|chances?|power) (of|that|to|the)( \w+){0,6} '
        || '(end ?point|objective|benefit\w*|effic\w+|effect\w*|success\w*|superior\w*|differen\w+|'
        || 'meet\w*|achiev\w+|positive\w*|show\w*|demonstrat\w+)'
    ),
    (207, 'efficacy', 'conditional', 'conditional power'),
    (208, 'efficacy', 'futil', '\bfutil'),
    (209, 'efficacy', 'effic', '\b(no|not|without)( \w+){0,2} effic(acy|acious)\b'),
    (
        210, 'efficacy', 'efficacy',
        '\b(not?|unable to|inability to) (\w+ )?(provid\w+|show\w*|demonstrat\w+|prov\w+|observ\w+|'
        || 'see|seen|offer\w*) (\w+ ){0,3}efficacy'
    ),
    (211, 'efficacy', 'effective', '\bnot?\b( \w+){0,4} effective\b'),
    (212, 'efficacy', 'superior', '\b(not?|without)( \w+){0,4} superior(ity)?\b'),
    (213, 'efficacy', 'promising', '\bnot( \w+){0,4} promising\b'),
    (214, 'efficacy', 'better', '\bnot?( \w+){0,4} better than\b'),
    (215, 'efficacy', 'ineff', '\bineff(ective|icac|icien)'),
    (
        216, 'efficacy', 'effic',
        '\b(lack|lacks|lacking|absence|loss|insufficient|inadequate|limited|low|lower|poor|minimal|'
        || 'unsatisfactory|weak|modest|reduced|marginal|inferior|disappointing|negative|suboptimal|'
        || 'unproven|non|little)\b( \w+){0,5} effic(acy|acious|iency)\b'
    ),
    (
        217, 'efficacy', 'effic',
        '\befficacy\b( \w+){0,5} (not|insufficient|unsatisfactory|poor|low|lower|limited|lacking|'
        || 'inferior|unlikely|disappointing|inadequate|weak|negative)\b'
    ),
    (
        218, 'efficacy', 'effect',
        '\b(no|not|lack of|without|little|insufficient|absence of|limited|low|less|minimal|small|'
        || 'inadequate|weak|poor)( (an|a|any|the|clear|clinical|clinically|therapeutic|treatment|'
        || 'significant|meaningful|apparent|protective|beneficial|desired|expected|measurable|'
        || 'relevant|positive|drug|overall|observed|detectable|sufficient|antiviral|biological|'
        || 'preventive|prophylactic|additional|added|intervention|enough|demonstrable|evident|'
        || 'evidence|of|show\w*|have|had|has|demonstrat\w+|found|seen|observable|proven|'
        || 'clinical))* effect(s|iveness|ive)?\b'
    ),
    (
        219, 'efficacy', 'benefit',
        '\b(no|not|lack|lacks|lacking|little|limited|insufficient|without|absence|low|minimal|'
        || 'marginal|fail\w*|neither|inadequate|doubtful|questionable|2 patients had)( \w+){0,6} '
        || 'benefi(ts?|cial|tt?ed|tt?ing)\b( [^r]|[^ a-z:]|: [^r]|$)'
    ),
    (
        220, 'efficacy', 'respon',
        '\b(no|lack of|low|lower|poor|insufficient|inadequate|absence of|few|limited|without)( '
        || '\w+){0,3} respon(se|ses|ders?|der rate|ded)\b'
    ),
    (
        221, 'efficacy', 'respon',
        '\bresponse rates?\b[^.;]{0,40} (not|low|lower|below|insufficient|poor|inadequate)\b'
    ),
    (
        222, 'efficacy', 'activity',
        '\b(no|lack of|low|lower|limited|insufficient|absence of|minimal|inadequate|without)( (\w+ '
        || ')?(clinical|anti ?tumou?r|biological|therapeutic|sufficient|drug|anti\w+|meaningful|'
        || 'single agent|significant|additional))+ activity\b'
    ),
    (
        223, 'efficacy', 'activity',
        '\bactivity( [^ .;]+){0,8} (is|was|were|not|too) ?(\w+ )?(minimal|insufficient|low|'
        || 'limited)\b'
    ),
    (
        224, 'efficacy', 'differen',
        '\b(no|not|lack of|without|absence of|insufficient)( \w+){0,4} differen(ces?|tiated|'
        || 'tiation|t (from|than|between|to))\b'
    ),
    (
        225, 'efficacy', 'signific',
        '\b(no|non|not|lack of|without|absence of|insufficient)( (showing|shown|show|reached|reach|'
        || 'reveal|have|any|clear|clinical|clinically|statistical|statistically|the|yield|yet|find|'
        || 'found))* significan(t|ce|tly)( (\w+ )?(differen|result|effect|improve|benefit|change|'
        || 'impact|advantage|superior|respon|outcome|reduc|increase|interm?ed|interim|find|futil|'
        || 'associat|correlat|at |in |for )|[. ,;()]*$|[,.;)])'
    ),
    (
        226, 'efficacy', 'signific',
        '(non|not|no) significant( \w+)? (analysis|outcome|data|interim)'
    ),
    (227, 'efficacy', 'improve', '\b(no|not|lack of|without|insufficient)( \w+){0,4} improve'),
    (
        228, 'efficacy', 'negative',
        '\bnegatives? (\w+ ){0,3}(results?|outcomes?|findings?|data|trial|study|studies|readout|'
        || 'analysis|efficacy)\b'
    ),
    (
        229, 'efficacy', 'negative',
        '\b(results?|outcomes?|findings?|data|trial|study|studies|readout|analysis)( \w+){0,6} '
        || 'negative\b( [^sctif]|[^ ]|$)'
    ),
    (
        230, 'efficacy', 'result',
        '\b(unpromising|disappointing|unfavou?rable|unsatisfactory|poor|bad|insufficient|'
        || 'unsuccessful|inferior|not? (\w+ )?(positive|promising|favou?rable|satisfactory|good|'
        || 'encouraging|conclusive)) (\w+ ){0,3}(results?|outcomes?|data)\b'
    ),
    (
        231, 'efficacy', 'result',
        '\bresults?( \w+){0,6} (unpromising|disappointing|unfavou?rable|unsatisfactory|poor|'
        || 'unsuccessful|failed|not (\w+ )?(support\w*|meaningful|promising|positive|satisfactory|'
        || 'favou?rable|as expected|good|warrant))\b'
    ),
    (232, 'efficacy', 'support', '\b(analys[ei]s|data|results?|findings)\b[^.;]{0,60} not support'),
    (233, 'efficacy', 'unfavo', 'analys[ei]s( \w+){0,4} unfavou?rable'),
    (234, 'efficacy', 'outcome', '\b(not? (\w+ ){0,3}positive|poor|worse) (\w+ ){0,2}outcomes?\b'),
    (
        235, 'efficacy', 'inferior',
        '\b(was|were|is|are|be|being|potentially|found|significantly|proved|proven|shown|showed|'
        || 'clinically|to) inferior'
    ),
    (
        236, 'efficacy', 'fail',
        '\b(high|higher|early|treatment|clinical|excess) (\w+ ){0,2}(failures?|relapses?|'
        || 'recurrences?)( rates?)?\b( [^t]|[^ a-z]|$)'
    ),
    (
        237, 'efficacy', 'fail',
        '\b(failure|failing) of (the |a )?(\w+ ){0,2}(phase|study|trial|studies|trials|treatment|'
        || 'drug|intervention|therapy|compound)'
    ),
    (
        238, 'efficacy', 'fail',
        '\b(phase \w+|pivotal|parent|lead in|treatment|intervention|therapy|drug|futility|'
        || 'efficacy)( \w+){0,3} fail(ed|ure|s)?\b( [^t]|[^ a-z]|$)'
    ),
    (
        239, 'efficacy', 'show',
        '\b(did|does|do|could|has|have) not( \w+)? (show|shown|demonstrate\w*|prove\w*)\b( '
        || '\w+){0,6} (effic\w+|effect\w*|superior\w*|activity|respon\w+|signal|success|value|'
        || 'advantage|reduc\w+|promis\w+|potential|result\w*|work)'
    ),
    (
        240, 'efficacy', 'demonstrate',
        '\bnot( \w+)? demonstrate\w*( \w+){0,6} (effic\w+|effect\w*|superior\w*|activity|respon\w+|'
        || 'signal|success|value|advantage|reduc\w+|promis\w+|potential)'
    ),
    (241, 'efficacy', 'work', '\b(did|does|was|is|were|do) not (seem to |appear to )?work(ing)?\b'),
    (
        242, 'efficacy', 'signal',
        '\b(no|lack of|without|insufficient)( \w+){0,2} signals?( \w+){0,3} (effic|benefit|effect|'
        || 'activ)'
    ),
    (
        243, 'efficacy', 'criteri',
        'criteri(a|on)( \w+){0,6} (not|fail\w*)( \w+){0,4} (part|continu|expan|stage|cohort|'
        || 'proceed)'
    ),
    (
        244, 'efficacy', 'criteri',
        '\bnot( \w+){0,3} (meet|met|reach\w*|fulfill?\w*)( \w+){0,4} (pre ?specified|pre ?defined|'
        || 'continuance|success|efficacy|expansion|progression|advancement)( \w+){0,2} (criteri|'
        || 'threshold)'
    ),
    (245, 'efficacy', 'concept', 'proof of concept( \w+){0,4} (not|fail)'),
    (
        246, 'efficacy', 'failure',
        '^(due to |because of )?(treatment |study |trial |drug |clinical )?failure( of (the '
        || ')?(treatment|study|trial|drug))?[.]?$'
    ),
    (
        247, 'efficacy', 'enough',
        '\bnot( \w+)? (enough|sufficient\w*)( \w+)? to (warrant|justify|support) (further|'
        || 'continu\w+)'
    ),
    (
        248, 'efficacy', 'evidence',
        '\b(lack of|no|insufficient|without)( \w+)? evidence (of|for|that)( \w+){0,4} (effic|'
        || 'effect|benefit|superior|activ|improve|respon|work|clinical)'
    ),
    (
        249, 'efficacy', 'affect',
        '\bnot( \w+)? affect( the)? (\w+ )?(incidence|outcomes?|rates?|risk|end ?point|mortality)'
    ),
    (250, 'efficacy', 'advantage', '\b(no|not|without|lack of)( \w+){0,2} advantage'),
    (251, 'efficacy', 'differen', 'differences? not (reached|found|observed|shown|seen)'),
    (
        252, 'efficacy', 'positive',
        '\b(no|not|lack of)( \w+)? positive (\w+ )?(finding|result|outcome|data)'
    ),
    -- Stopped for success: the answer was there early. Not a failure of the drug.
    (
        301, 'other', 'point',
        '\b(met|meet|reached|achieved|fulfilled|positive)\b( \w+){0,5} end ?points?\b'
    ),
    (
        302, 'other', 'point',
        'end ?points?( \w+){0,3} (was|were|has been|have been|is|already|had been) (\w+ )?(met|'
        || 'reached|achieved)'
    ),
    (
        303, 'other', 'effic',
        '\b(overwhelming|clear|positive|demonstrated|superior|proven|early|significant|greater|'
        || 'established|strong|compelling|high)( \w+)? efficacy\b'
    ),
    (
        304, 'other', 'positive',
        '\bpositive (\w+ ){0,3}(results?|outcomes?|data|findings?|readout)\b'
    ),
    (305, 'other', 'positive', '\b(results?|outcomes?|data|analysis)( \w+){0,4} positive\b'),
    (
        306, 'other', 'superior',
        '\b(superiority|superior)( \w+){0,3} (shown|demonstrated|confirmed)'
    ),
    (
        307, 'other', 'benefit',
        '\b(clear|significant|demonstrated|overwhelming|showed|proven|early|substantial)( '
        || '\w+){0,2} benefits?\b( [^r]|[^ a-z]|$)'
    ),
    (308, 'other', 'mortality', '\b(decreas\w*|reduc\w*|lower\w*|improv\w*)( \w+){0,4} mortality'),
    (309, 'other', 'less', '\bless (\w+ ){0,2}(toxicity|adverse events|complications)'),
    (310, 'other', 'superiority', '\b(due to|because of|for|of) superiority\b'),
    -- Efficacy named as the reason, without saying that it lacked: hardly ever a success.
    (
        401, 'efficacy', 'effic',
        '^(\w+ ){0,4}\(?efficacy( (reasons?|concerns?|issues?|results?))?\)?[.]?$'
    ),
    (
        402, 'efficacy', 'effic',
        '\b(due to|because of|owing to|for|based on|on|and)( \w+){0,3} efficacy (reasons?|'
        || 'concerns?|issues?|grounds|results)\b'
    ),
    -- Harm. Deaths and risks only where the text makes them those of the treatment.
    (501, 'safety', 'toxic', 'toxic'),
    (
        502, 'safety', 'adverse',
        '\badverse( \w+)? (events?|effects?|reactions?|outcomes?|experiences?|change|findings?|'
        || 'profile|incidents?)\b'
    ),
    (503, 'safety', 'ae', '\b(s?aes?|susars?)\b'),
    (504, 'safety', 'susar', '\bsusars?\b'),
    (505, 'safety', 'side', '\b(side effects?|undesirable effects?)\b'),
    (506, 'safety', 'dlt', '\bdlts?\b'),
    (507, 'safety', 'dose limiting', 'dose limiting'),
    (
        508, 'safety', 'death',
        '\b(increase\w*|higher|excess\w*|related|unexpected|sudden|patients?|subjects?|'
        || 'participants?|early|several|one|two|three|four|fatal|more|infant|neonatal|due to|'
        || 'because of|safety)( \w+){0,4} deaths?\b'
    ),
    (509, 'safety', 'death', '^deaths?\b|\bdeaths? (in|of|on|among|occurr\w+|from)\b'),
    (
        510, 'safety', 'mortality',
        '\b(increas\w+|higher|high|excess|elevated|unexpected|more)( \w+){0,4} mortality\b|'
        || '\bmortality( \w+){0,4} (increas\w+|higher|elevated)\b'
    ),
    (511, 'safety', 'fatal', '\bfatal'),
    (
        512, 'safety', 'toler',
        '\b(poor|poorly|not|lack of|low|limited|bad|inadequate|insufficient|intolerab\w+|could not|'
        || 'did not|unable to)( \w+){0,4} (tolera\w+)\b'
    ),
    (
        513, 'safety', 'toler',
        '\bintolerab|\btolerability( \w+)? (issues?|concerns?|findings?|reasons?)'
    ),
    (514, 'safety', 'toler', '\b(due to|by|because of|on)( \w+){0,2} (in)?toler(ability|ance)\b'),
    (515, 'safety', 'stand', 'not (with)?stand the'),
    (
        516, 'safety', 'bleed',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} bleeding\b( [^o]|[^ a-z]|$)'
    ),
    (
        517, 'safety', 'orrhag',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} ha?emorrhag\w+\b( [^o]|[^ a-z]|$)'
    ),
    (
        518, 'safety', 'complication',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} complications?\b( [^o]|[^ a-z]|$)'
    ),
    (
        519, 'safety', 'infection',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} infections?\b( [^o]|[^ a-z]|$)'
    ),
    (
        520, 'safety', 'injur',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} injur(y|ies)\b( [^o]|[^ a-z]|$)'
    ),
    (521, 'safety', 'liver', '\b(liver|hepatic) (injur|enzyme|damage|test|safety|function test)'),
    (522, 'safety', 'outweigh', '\brisks?\b[^.;]{0,40} outweigh|outweigh\w*[^.;]{0,40} risks?\b'),
    (
        523, 'safety', 'harm',
        '\b(potential|possible|due to|evidence of|showed|signs? of|caus\w+) harm'
    ),
    -- Safety in a pandemic is that of visits, not of the treatment.
    (601, 'other', 'covid', 'covid'),
    (602, 'other', 'corona', 'corona ?virus'),
    (603, 'other', 'pandemic', 'pandemic'),
    (
        604, 'other', 'safety',
        '\b(favou?rable|acceptable|good|satisfactory|demonstrated|ensure|sufficient) (\w+ )?safety'
    ),
    (605, 'other', 'recall', '\b(shortage|supply)\b[^.;]{0,80}\brecall'),
    -- Safety named as the reason.
    (701, 'safety', 'safety', '\bsafety stopping|stopping (criteria|rules?)[^.;]{0,10} safety'),
    (702, 'safety', 'new safety', '\bnew safety (data|information)'),
    (
        703, 'safety', 'safety',
        '\bsafety( and \w+| or \w+|related|,? \w+)? (concerns?|issues?|reasons?|signals?|problems?|'
        || 'findings?|events?|risks?|alerts?|grounds|hold|warnings?|stop|implications|measure)\b'
    ),
    (
        704, 'safety', 'safety',
        '\b(concern\w*|issues?|problems?|questions?|doubts?)( \w+){0,4} safety\b'
    ),
    (
        705, 'safety', 'safety',
        '\b(due to|because of|owing to|for|on|regarding)( \w+){0,3} safety([^ a-z]|$)'
    ),
    (
        706, 'safety', 'safety',
        '\b(unfavou?rable|poor|unacceptable|uncertain|urgent|inadequate) (\w+ )?safety|\bsafety '
        || 'profile[^.;]{0,120} (optimi|unfavou?r|unaccept|not|insufficient|poor|worse)'
    ),
    (707, 'safety', 'safety', '^(drug |patient |subject |product )?safety[.]?$'),
    (708, 'safety', 'safe', '\bunsafe|\bnot( \w+){0,2} safe\b'),
    (
        709, 'safety', 'risk',
        '\b(benefits?|risks?)( (to|and|versus|vs[.]?|over))? ?[:]? ?(the )?(benefits?|risks?)\b'
    ),
    (
        710, 'safety', 'risk',
        '\b(increas\w+|elevated|unacceptable|high|higher|excess\w*)( \w+)? risks? (of|for|in|to)\b'
    ),
    (711, 'safety', 'recall', '\b(product|device|drug|market|voluntary|class \w+|fda) recall'),
    (712, 'safety', 'warning', '\b(black box|boxed|fda|ema|safety) warning'),
    -- What the registry says of any study that is withdrawn or terminated.
    (
        801, 'unknown', 'first participant',
        '^(the |this )?study (was )?stopped early[, ]+before enrolling (its|the) first participant$'
    ),
    (
        802, 'unknown', 'halted prematurely',
        '^[^.;]{0,20}halted prematurely( and will not resume)?[ .;,]+participants are no longer '
        || 'being examined or (treated|receiving intervention)$'
    )
) as listed (position, stop_reason, stem, pattern)
