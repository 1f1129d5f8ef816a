-- Title:   Patterns that classify why a study stopped
-- Formula: a list; the reason of a text is that of the first pattern, by priority, that it has; all
--          of one priority give the same reason; a text is compared with a pattern only if it
--          contains the pattern's stem
-- Units:   stop_reason is efficacy, safety, other or unknown; pattern is a regular expression that
--          RE2 and Java read alike, over text as stop_reason folds it: in lower case, with one
--          blank for blanks, dashes and slashes, and without what the text denies
-- Grain:   pattern
select
    listed.priority,
    listed.stop_reason,
    listed.stem,
    listed.pattern
from (
    values
    -- Words of efficacy and safety that say something else: futile recruitment, the death of an
    -- investigator, data that are missing, a review that was planned.
    (
        1, 'other', 'futil',
        'futil\w* ((in|of|for|to|with) )?((the|patient) )?(recruit|enrol|accru)'
    ),
    (1, 'other', 'futil', '\b(recruit\w*|enrol\w*|accru\w*|operational|administrative) futil'),
    (1, 'other', 'cost', 'cost (in)?effective'),
    (
        1, 'other', 'died',
        '\b(pi|\w*investigator|researcher|coordinator|chair|physician|surgeon|professor|dr)\b( '
        || '\w+){0,3} died'
    ),
    (
        1, 'other', 'passed away',
        '\b(pi|\w*investigator|researcher|coordinator|chair|physician|surgeon|professor|dr)\b( '
        || '\w+){0,3} passed away'
    ),
    (
        1, 'other', 'death',
        'death of (the |our |its )?(\w+ )?(pi\b|principal|\w*investigator|researcher|sponsor|dr\b)'
    ),
    (
        1, 'other', 'respon',
        '(no|lack of|poor) response (from|by|to (the )?(recruit|invit|advert))'
    ),
    (
        1, 'other', 'anal',
        '^(\w+ )*(recruit|enrol|accru|paus|suspen|clos|halt|hold)\w*( \w+)* (for|pending|until|to '
        || 'conduct|to perform|awaiting)( \w+)* analys[ei]s( of (the )?data)?[.]?$'
    ),
    (1, 'other', 'toxicit', '^(\w+ ){0,5}toxicity (evaluation|analysis|review|assessment)[.]?$'),
    (
        1, 'other', 'efficacy ',
        '\b(no|not|lack|insufficient|inadequate|without|unable)\b[^.;]{0,40}\befficacy (data|'
        || 'evaluat|analys|assess)'
    ),
    (1, 'other', 'dlt', '\bdlts? (\w+ )?(evaluat|assess|review|period|window|defin)'),
    (1, 'other', 'planned safety', '\bplanned safety (\w+ )?(stop|review|analys|assess|pause)'),
    -- A result that was not reached. These come before the successes, whose words they share.
    (
        2, 'efficacy', 'not',
        '\b(not|neither)( \w+){0,2} (meet|met|meeting|reach|reached|reaching|achiev\w+|'
        || 'attain\w*)\b[^.;]{0,60}(end ?point|primary (outcome|objective|goal|efficacy)|main '
        || 'outcome|pre ?defined|pre ?specified|statistical|significan|superior|efficacy|response|'
        || '(success|efficacy|continu\w+|go no go) criteri)'
    ),
    (
        2, 'efficacy', 'fail',
        '\bfail(ed|s|ing|ure)? (to|of) (\w+ )?(meet\w*|reach\w*|achiev\w+|attain\w*|show\w*|'
        || 'demonstrat\w+|prove|improve|reduce|prevent|slow)\b[^.;]{0,80}(end ?point|outcome|'
        || 'primary objective|statistical|significan|superior|effic|effect|benefit|improve|'
        || 'differen|respon|activity|criteri|mortality|progression|reduc)'
    ),
    (
        2, 'efficacy', 'point',
        'end ?points?\b[^.;]{0,50}\b(not|fail\w*|miss\w*|unlikely|neither|unmet|lower|negative)\b'
    ),
    (2, 'efficacy', 'miss', 'miss(ed|ing|es)? (of )?(the |its |their )?(\w+ )?end ?point'),
    (
        2, 'efficacy', 'unlikely',
        'unlikely[^.;]{0,60}(end ?point|objective|benefit|effic|effect|success|superior|differen|'
        || 'improve|positive|hypothes)'
    ),
    (
        2, 'efficacy', 'low',
        '\blow(er)? (\w+ ){0,2}(probability|likelihood|chances?|power) (of|that|to|the)( \w+){0,6} '
        || '(end ?point|objective|benefit\w*|effic\w+|effect\w*|success\w*|superior\w*|differen\w+|'
        || 'meet\w*|achiev\w+|positive\w*|show\w*|demonstrat\w+)'
    ),
    (2, 'efficacy', 'conditional', 'conditional power'),
    (2, 'efficacy', 'futil', '\bfutil'),
    (2, 'efficacy', 'effic', '\b(no|not|without)( \w+){0,2} effic(acy|acious)\b'),
    (
        2, 'efficacy', 'efficacy',
        '\b(not?|unable to|inability to) (\w+ )?(provid\w+|show\w*|demonstrat\w+|prov\w+|observ\w+|'
        || 'see|seen|offer\w*) (\w+ ){0,3}efficacy'
    ),
    (2, 'efficacy', 'effective', '\bnot?\b( \w+){0,4} effective\b'),
    (2, 'efficacy', 'superior', '\b(not?|without)( \w+){0,4} superior(ity)?\b'),
    (2, 'efficacy', 'promising', '\bnot( \w+){0,4} promising\b'),
    (2, 'efficacy', 'better', '\bnot?( \w+){0,4} better than\b'),
    (2, 'efficacy', 'ineff', '\bineff(ective|icac|icien)'),
    (
        2, 'efficacy', 'effic',
        '\b(lack|lacks|lacking|absence|loss|insufficient|inadequate|limited|low|lower|poor|minimal|'
        || 'unsatisfactory|weak|modest|reduced|marginal|inferior|disappointing|negative|suboptimal|'
        || 'unproven|non|little)\b( \w+){0,5} effic(acy|acious|iency)\b'
    ),
    (
        2, 'efficacy', 'effic',
        '\befficacy\b( \w+){0,5} (not|insufficient|unsatisfactory|poor|low|lower|limited|lacking|'
        || 'inferior|unlikely|disappointing|inadequate|weak|negative)\b'
    ),
    (
        2, 'efficacy', 'effect',
        '\b(no|not|lack of|without|little|insufficient|absence of|limited|low|less|minimal|small|'
        || 'inadequate|weak|poor)( (an|a|any|the|clear|clinical|clinically|therapeutic|treatment|'
        || 'significant|meaningful|apparent|protective|beneficial|desired|expected|measurable|'
        || 'relevant|positive|drug|overall|observed|detectable|sufficient|antiviral|biological|'
        || 'preventive|prophylactic|additional|added|intervention|enough|demonstrable|evident|'
        || 'evidence|of|show\w*|have|had|has|demonstrat\w+|found|seen|observable|proven|'
        || 'clinical))* effect(s|iveness|ive)?\b'
    ),
    (
        2, 'efficacy', 'benefit',
        '\b(no|not|lack|lacks|lacking|little|limited|insufficient|without|absence|low|minimal|'
        || 'marginal|fail\w*|neither|inadequate|doubtful|questionable)( \w+){0,6} benefit(s|t?ed|'
        || 't?ing)?\b( [^r]|[^ a-z:]|: [^r]|$)'
    ),
    (
        2, 'efficacy', 'respon',
        '\b(no|lack of|low|lower|poor|insufficient|inadequate|absence of|few|limited|without)( '
        || '\w+){0,3} respon(se|ses|ders?|der rate|ded)\b'
    ),
    (
        2, 'efficacy', 'respon',
        '\bresponse rates?\b[^.;]{0,40} (not|low|lower|below|insufficient|poor|inadequate)\b'
    ),
    (
        2, 'efficacy', 'activity',
        '\b(no|lack of|low|lower|limited|insufficient|absence of|minimal|inadequate|without)( (\w+ '
        || ')?(clinical|anti ?tumou?r|biological|therapeutic|sufficient|drug|anti\w+|meaningful|'
        || 'single agent|significant|additional))+ activity\b'
    ),
    (
        2, 'efficacy', 'activity',
        '\bactivity( [^ .;]+){0,8} (is|was|were|not|too) ?(\w+ )?(minimal|insufficient|low|'
        || 'limited)\b'
    ),
    (
        2, 'efficacy', 'differen',
        '\b(no|not|lack of|without|absence of|insufficient)( \w+){0,4} differen(ces?|tiated|'
        || 'tiation|t (from|than|between|to))\b'
    ),
    (
        2, 'efficacy', 'signific',
        '\b(no|non|not|lack of|without|absence of|insufficient)( (showing|shown|show|reached|reach|'
        || 'reveal|have|any|clear|clinical|clinically|statistical|statistically|the|yield|yet|find|'
        || 'found))* significan(t|ce|tly)( (\w+ )?(differen|result|effect|improve|benefit|change|'
        || 'impact|advantage|superior|respon|outcome|reduc|increase|interm?ed|interim|find|futil|'
        || 'associat|correlat|at |in |for )|[. ,;()]*$|[,.;)])'
    ),
    (
        2, 'efficacy', 'signific',
        '(non|not|no) significant( \w+)? (analysis|outcome|data|interim)'
    ),
    (2, 'efficacy', 'improve', '\b(no|not|lack of|without|insufficient)( \w+){0,4} improve'),
    (
        2, 'efficacy', 'negative',
        '\bnegatives? (\w+ ){0,3}(results?|outcomes?|findings?|data|trial|study|studies|readout|'
        || 'analysis|efficacy)\b'
    ),
    (
        2, 'efficacy', 'negative',
        '\b(results?|outcomes?|findings?|data|trial|study|studies|readout|analysis)( \w+){0,6} '
        || 'negative\b( [^sctif]|[^ ]|$)'
    ),
    (
        2, 'efficacy', 'result',
        '\b(unpromising|disappointing|unfavou?rable|unsatisfactory|poor|bad|insufficient|'
        || 'unsuccessful|inferior|not? (\w+ )?(positive|promising|favou?rable|satisfactory|good|'
        || 'encouraging|conclusive)) (\w+ ){0,3}results?\b'
    ),
    (
        2, 'efficacy', 'result',
        '\bresults?( \w+){0,6} (unpromising|disappointing|unfavou?rable|unsatisfactory|poor|'
        || 'unsuccessful|failed|not (\w+ )?(support\w*|meaningful|promising|positive|satisfactory|'
        || 'favou?rable|as expected|good|warrant))\b'
    ),
    (2, 'efficacy', 'support', '\b(analys[ei]s|data|results?|findings)\b[^.;]{0,60} not support'),
    (2, 'efficacy', 'unfavo', 'analys[ei]s( \w+){0,4} unfavou?rable'),
    (2, 'efficacy', 'outcome', '\b(not? (\w+ ){0,3}positive|poor|worse) (\w+ ){0,2}outcomes?\b'),
    (
        2, 'efficacy', 'inferior',
        '\b(was|were|is|are|be|being|potentially|found|significantly|proved|proven|shown|showed|'
        || 'clinically|to) inferior'
    ),
    (
        2, 'efficacy', 'fail',
        '\b(high|higher|early|treatment|clinical|excess) (\w+ ){0,2}failures?( rates?)?\b( [^t]|[^ '
        || 'a-z]|$)'
    ),
    (
        2, 'efficacy', 'fail',
        '\b(failure|failing) of (the |a )?(\w+ ){0,2}(phase|study|trial|studies|trials|treatment|'
        || 'drug|intervention|therapy|compound)'
    ),
    (
        2, 'efficacy', 'fail',
        '\b(phase \w+|pivotal|parent|lead in|treatment|intervention|therapy|drug|futility|'
        || 'efficacy)( \w+){0,3} fail(ed|ure|s)?\b( [^t]|[^ a-z]|$)'
    ),
    (
        2, 'efficacy', 'show',
        '\b(did|does|do|could|has|have) not( \w+)? shown?\b( \w+){0,6} (effic\w+|effect\w*|'
        || 'superior\w*|activity|respon\w+|signal|success|value|advantage|reduc\w+|promis\w+|'
        || 'potential|result\w*|work)'
    ),
    (
        2, 'efficacy', 'demonstrate',
        '\bnot( \w+)? demonstrate\w*( \w+){0,6} (effic\w+|effect\w*|superior\w*|activity|respon\w+|'
        || 'signal|success|value|advantage|reduc\w+|promis\w+|potential)'
    ),
    (2, 'efficacy', 'work', '\b(did|does|was|is|were|do) not (seem to |appear to )?work(ing)?\b'),
    (
        2, 'efficacy', 'signal',
        '\b(no|lack of|without|insufficient)( \w+){0,2} signals?( \w+){0,3} (effic|benefit|effect|'
        || 'activ)'
    ),
    (
        2, 'efficacy', 'criteri',
        'criteri(a|on)( \w+){0,6} (not|fail\w*)( \w+){0,4} (part|continu|expan|stage|cohort|'
        || 'proceed)'
    ),
    (
        2, 'efficacy', 'criteri',
        '\bnot( \w+){0,3} (meet|met|reach\w*|fulfill?\w*)( \w+){0,4} (pre ?specified|pre ?defined|'
        || 'continuance|success|efficacy|expansion|progression|advancement)( \w+){0,2} criteri'
    ),
    (2, 'efficacy', 'concept', 'proof of concept( \w+){0,4} (not|fail)'),
    (
        2, 'efficacy', 'failure',
        '^(due to |because of )?(treatment |study |trial |drug |clinical )?failure( of (the '
        || ')?(treatment|study|trial|drug))?[.]?$'
    ),
    (
        2, 'efficacy', 'enough',
        '\bnot( \w+)? enough( \w+)? to (warrant|justify|support) (further|continu\w+)'
    ),
    (
        2, 'efficacy', 'evidence',
        '\b(lack of|no|insufficient|without)( \w+)? evidence (of|for|that)( \w+){0,4} (effic|'
        || 'effect|benefit|superior|activ|improve|respon|work|clinical)'
    ),
    (
        2, 'efficacy', 'affect',
        '\bnot( \w+)? affect( the)? (\w+ )?(incidence|outcomes?|rates?|risk|end ?point|mortality)'
    ),
    (2, 'efficacy', 'advantage', '\b(no|not|without|lack of)( \w+){0,2} advantage'),
    (2, 'efficacy', 'differen', 'differences? not (reached|found|observed|shown|seen)'),
    (
        2, 'efficacy', 'positive',
        '\b(no|not|lack of)( \w+)? positive (\w+ )?(finding|result|outcome|data)'
    ),
    -- Stopped for success: the answer was there early. Not a failure of the drug.
    (
        3, 'other', 'point',
        '\b(met|meet|reached|achieved|fulfilled|positive)\b( \w+){0,5} end ?points?\b'
    ),
    (
        3, 'other', 'point',
        'end ?points?( \w+){0,3} (was|were|has been|have been|is|already|had been) (\w+ )?(met|'
        || 'reached|achieved)'
    ),
    (
        3, 'other', 'effic',
        '\b(overwhelming|clear|positive|demonstrated|superior|proven|early|significant|greater|'
        || 'established|strong|compelling|high)( \w+)? efficacy\b'
    ),
    (
        3, 'other', 'positive',
        '\bpositive (\w+ ){0,3}(results?|outcomes?|data|findings?|readout)\b'
    ),
    (3, 'other', 'positive', '\b(results?|outcomes?|data|analysis)( \w+){0,4} positive\b'),
    (
        3, 'other', 'superior',
        '\b(superiority|superior)( \w+){0,3} (shown|demonstrated|confirmed)'
    ),
    (
        3, 'other', 'benefit',
        '\b(clear|significant|demonstrated|overwhelming|showed|proven|early|substantial)( '
        || '\w+){0,2} benefits?\b( [^r]|[^ a-z]|$)'
    ),
    (3, 'other', 'mortality', '\b(decreas\w*|reduc\w*|lower\w*|improv\w*)( \w+){0,4} mortality'),
    (3, 'other', 'less', '\bless (\w+ ){0,2}(toxicity|adverse events|complications)'),
    (3, 'other', 'superiority', '\b(due to|because of|for|of) superiority\b'),
    -- Efficacy named as the reason, without saying that it lacked: taken as a failure.
    (
        4, 'efficacy', 'effic',
        '^(\w+ ){0,4}\(?efficacy( (reasons?|concerns?|issues?|results?))?\)?[.]?$'
    ),
    (
        4, 'efficacy', 'effic',
        '\b(due to|because of|owing to|for|based on|on|and)( \w+){0,3} efficacy (reasons?|'
        || 'concerns?|issues?|grounds|results)\b'
    ),
    -- Harm. Deaths and risks only where the text makes them those of the treatment.
    (5, 'safety', 'toxic', 'toxic'),
    (
        5, 'safety', 'adverse',
        '\badverse( \w+)? (events?|effects?|reactions?|outcomes?|experiences?|change|findings?|'
        || 'profile|incidents?)\b'
    ),
    (5, 'safety', 'ae', '\bs?aes?\b'),
    (5, 'safety', 'susar', '\bsusars?\b'),
    (5, 'safety', 'side', '\b(side effects?|undesirable effects?)\b'),
    (5, 'safety', 'dlt', '\bdlts?\b'),
    (5, 'safety', 'dose limiting', 'dose limiting'),
    (
        5, 'safety', 'death',
        '\b(increase\w*|higher|excess\w*|related|unexpected|sudden|patients?|subjects?|'
        || 'participants?|early|several|one|two|three|four|fatal|more|infant|neonatal|due to|'
        || 'because of|safety)( \w+){0,4} deaths?\b'
    ),
    (5, 'safety', 'death', '^deaths?\b|\bdeaths? (in|of|on|among|occurr\w+|from)\b'),
    (
        5, 'safety', 'mortality',
        '\b(increas\w+|higher|high|excess|elevated|unexpected|more)( \w+){0,4} mortality\b|'
        || '\bmortality( \w+){0,4} (increas\w+|higher|elevated)\b'
    ),
    (5, 'safety', 'fatal', '\bfatal'),
    (
        5, 'safety', 'toler',
        '\b(poor|poorly|not|lack of|low|limited|bad|inadequate|insufficient|intolerab\w+|could not|'
        || 'did not|unable to)( \w+){0,4} (tolera\w+)\b'
    ),
    (
        5, 'safety', 'toler',
        '\bintolerab|\btolerability( \w+)? (issues?|concerns?|findings?|reasons?)'
    ),
    (5, 'safety', 'toler', '\b(due to|by|because of|on)( \w+){0,2} (in)?toler(ability|ance)\b'),
    (5, 'safety', 'stand', 'not (with)?stand the'),
    (
        5, 'safety', 'bleed',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} bleeding\b( [^o]|[^ a-z]|$)'
    ),
    (
        5, 'safety', 'orrhag',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} ha?emorrhag\w+\b( [^o]|[^ a-z]|$)'
    ),
    (
        5, 'safety', 'complication',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} complications?\b( [^o]|[^ a-z]|$)'
    ),
    (
        5, 'safety', 'infection',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} infections?\b( [^o]|[^ a-z]|$)'
    ),
    (
        5, 'safety', 'injur',
        '\b(increas\w+|excess\w*|higher|high|severe|serious|unexpected|unacceptable|major)( '
        || '\w+){0,3} injur(y|ies)\b( [^o]|[^ a-z]|$)'
    ),
    (5, 'safety', 'liver', '\b(liver|hepatic) (injur|enzyme|damage|test|safety|function test)'),
    (5, 'safety', 'outweigh', '\brisks?\b[^.;]{0,40} outweigh|outweigh\w*[^.;]{0,40} risks?\b'),
    (
        5, 'safety', 'harm',
        '\b(potential|possible|due to|evidence of|showed|signs? of|caus\w+) harm'
    ),
    -- Safety in a pandemic is that of visits, not of the treatment.
    (6, 'other', 'covid', 'covid'),
    (6, 'other', 'corona', 'corona ?virus'),
    (6, 'other', 'pandemic', 'pandemic'),
    (
        6, 'other', 'safety',
        '\b(favou?rable|acceptable|good|satisfactory|demonstrated|ensure|sufficient) (\w+ )?safety'
    ),
    (6, 'other', 'recall', '\b(shortage|supply)\b[^.;]{0,80}\brecall'),
    -- Safety named as the reason.
    (7, 'safety', 'safety', '\bsafety stopping|stopping (criteria|rules?)[^.;]{0,10} safety'),
    (7, 'safety', 'new safety', '\bnew safety (data|information)'),
    (
        7, 'safety', 'safety',
        '\bsafety( and \w+| or \w+|related|,? \w+)? (concerns?|issues?|reasons?|signals?|problems?|'
        || 'findings?|events?|risks?|alerts?|grounds|hold|warnings?|stop|implications|measure)\b'
    ),
    (
        7, 'safety', 'safety',
        '\b(concern\w*|issues?|problems?|questions?|doubts?)( \w+){0,4} safety\b'
    ),
    (
        7, 'safety', 'safety',
        '\b(due to|because of|owing to|for|on|regarding)( \w+){0,3} safety([^ a-z]|$)'
    ),
    (
        7, 'safety', 'safety',
        '\b(unfavou?rable|poor|unacceptable|uncertain|urgent|inadequate) (\w+ )?safety|\bsafety '
        || 'profile[^.;]{0,120} (optimi|unfavou?r|unaccept|not|insufficient|poor|worse)'
    ),
    (7, 'safety', 'safety', '^(drug |patient |subject |product )?safety[.]?$'),
    (7, 'safety', 'safe', '\bunsafe|\bnot( \w+){0,2} safe\b'),
    (
        7, 'safety', 'risk',
        '\b(benefits?|risks?)( (to|and|versus|vs[.]?|over))? ?[:]? ?(the )?(benefits?|risks?)\b'
    ),
    (
        7, 'safety', 'risk',
        '\b(increas\w+|elevated|unacceptable|high|higher|excess\w*)( \w+)? risks? (of|for|in|to)\b'
    ),
    (7, 'safety', 'recall', '\b(product|device|drug|market|voluntary|class \w+|fda) recall'),
    (7, 'safety', 'warning', '\b(black box|boxed|fda|ema|safety) warning'),
    -- What the registry says of any study that is withdrawn or terminated.
    (
        8, 'unknown', 'first participant',
        '^(the |this )?study (was )?stopped early[, ]+before enrolling (its|the) first participant$'
    ),
    (
        8, 'unknown', 'halted prematurely',
        '^[^.;]{0,20}halted prematurely( and will not resume)?[ .;,]+participants are no longer '
        || 'being examined or (treated|receiving intervention)$'
    )
) as listed (priority, stop_reason, stem, pattern)
