/*
 * Two instances with two callers each, and one key: how a lock goes from caller to caller, in memory and through Redis.
 * README.md says what is checked, how, and which step here is which script or method of io.holdfast.engine.
 *
 * Time is not counted: what takes time may happen at any moment, or late, or after what was sent later.
 */

#ifndef SECTIONS_0
#define SECTIONS_0 1    /* of each caller of the first instance */
#endif
#ifndef SECTIONS_1
#define SECTIONS_1 1    /* of each caller of the second instance */
#endif
#ifndef CALLERS_1
#define CALLERS_1 2     /* of the second instance */
#endif
#ifndef FAULTS
#define FAULTS 0        /* at most */
#endif
#ifndef LEAVES
#define LEAVES 0        /* how often a caller stops waiting, at most */
#endif
#ifndef HANDOFFS
#define HANDOFFS 1      /* local-handoffs */
#endif
#ifndef PASSES
#define PASSES 1        /* sections after a confirmation, at most, that do not ask Redis: stands for handover-check */
#endif
#ifndef BLOCK
#define BLOCK 2         /* tokens that a grant or a confirmation brings, at most */
#endif

/* Which faults there are */
#ifndef LATE
#define LATE 1          /* requests without an answer, which are carried out late or never */
#endif
#ifndef MESSAGES
#define MESSAGES 1      /* messages that are lost */
#endif
#ifndef LOSSES
#define LOSSES 1        /* locks that Redis loses, by themselves or with all else, and leases that run out */
#endif
#ifndef DEATHS
#define DEATHS 1        /* the second instance dies */
#endif

#define NAMES 5         /* for the claims of an instance; a name that nothing knows any more is taken again */
#define NO_CLAIM 10
#define INSTANCE(claim) ((claim) / NAMES)
#define OTHER(i) (1 - (i))
#define MAX(a, b) ((a) > (b) -> (a) : (b))

#define NOBODY 2        /* else a caller, or: */
#define LEAVING 3       /* the hold inside asks, before the next one is let in */

mtype = { GRANTED, DENIED, TRANSFERRED, YIELDED, GONE, RELEASED, ACQUIRE, TRANSFER, RELEASE };

/* Redis */
byte holder = NO_CLAIM;         /* the claim that has the lock */
bit owner;                      /* which caller of its instance has it */
byte mark;                      /* its token */
byte upto;                      /* the last token that it has brought, or 0 when it was not confirmed yet */
byte last;                      /* last token of all */
byte clock;
bit queued[2];                  /* whether an instance is in the queue */
bit front;                      /* and which one is the first */
bit denied[10];                 /* claims that were withdrawn */

/* What is under way */
bit wake_up[2];
bit wanted[2];

typedef Request {
  mtype kind;
  byte claim;
  byte id;
  bit who;
  bit yield
}
#if FAULTS > 0
Request late[FAULTS];
#endif

/* What is said to Redis in the background, by the name of the claim */
byte to_release[10];            /* token */
bit to_withdraw[10];
bit in_flight[10];              /* a caller waits for an answer */

/* What an instance knows: Line and OwnGrant */
typedef Line {
  byte claim;
  bit doubt;                    /* a request of the claim had no answer */
  bit in_queue;
  bit granted;                  /* a grant that nobody has entered */
  bit owner;                    /* who it was granted to */
  byte id;                      /* token that names it in Redis */
  byte token;                   /* of the latest section, or of the first to be */
  byte upto;                    /* last one that it has brought */
  byte used;                    /* token of the latest section */
  byte inside = NOBODY;
  byte asking = NOBODY;
  byte first = NOBODY;
  bit waits[2];
  bit awake[2];
  bit asked[2];
  bit decided[2];               /* let in, which the caller finds out when it is awake */
  bit begun;                    /* the callers of an instance are all alike: one of them comes first */
  bit woken;
  bit others_wait;
  bit wanted;                   /* told so since it asked last */
  byte handoffs
}
Line line[2];

byte faults;
byte leaves;
bit dead;                       /* the second instance */
byte finished;                  /* callers */
bit forgetful;                  /* Redis has lost all that it knew */
byte known;                     /* greatest token of the claim, inside a script */
byte name;                      /* of the next claim, while it is looked for */

/* What is to be proved of it */
bit busy[2];                    /* a section that was not told a loss */
bit kept[2];                    /* the lock was not lost in Redis since it was granted or confirmed */
byte greatest;                  /* token of all sections */
bit told[2];                    /* that the other instance waits */
byte further[2];                /* sections since then, under one claim */
byte untold[2];                 /* sections since the other instance waits, under one claim */

#define FAULT(kind) (kind && faults < FAULTS)
#define IS_DEAD(i) (dead && (i) == 1)
#define MAY_LEAVE(i) ((i) == 0 && leaves < LEAVES)
#define IS_FOR(i, n) (line[i].owner == (n) && line[i].token > line[i].used)

#define IS_NEXT(i, n) (line[i].inside == NOBODY && line[i].asking == NOBODY && line[i].first == (n))

/* A poll makes up for what is lost. It takes longer than a message does, and nothing is lost without a fault */
#ifdef NO_POLL
#define POLLS(i, n) false
#else
#define POLLS(i, n) (faults > 0 && !wake_up[0] && !wake_up[1] && !line[i].woken \
  && IS_NEXT(i, n))
#endif

inline wake_first(i) {
  if
  :: line[i].first != NOBODY && line[i].inside == NOBODY -> line[i].awake[line[i].first] = true
  :: else
  fi
}

/* A confirmation may be too old at any moment */
#ifdef UNCHECKED
#define MAY_PASS(i) (line[i].token < line[i].upto)
#else
#define MAY_PASS(i) (line[i].token < line[i].upto && line[i].token - line[i].id < PASSES)
#endif

#ifdef ONLY_EXCLUSION
#define IS_IN_REDIS(i) true
#define HAS_NEW_TOKEN(i) true
#else
#define HAS_NEW_TOKEN(i) (line[i].token > greatest)
#define IS_IN_REDIS(i) (holder == line[i].claim && mark == line[i].id)
#endif

/* -- Scripts -- */

#ifdef ANY_CLOCK
inline tick(known) {
  if
  :: clock = clock + 1
  :: clock = clock + 2
  :: skip
  fi
}
#else
inline tick(known) {
  clock = MAX(clock, last) + (known > 0 -> BLOCK : 1)
}
#endif

/* token.lua */
inline next_token(known) {
#ifdef COUNTED_TOKENS
  last = MAX(last, known) + 1
#else
  last = MAX(MAX(last, known) + 1, clock)
#endif
}

/* queue.lua */
inline wake_front() {
  if
  :: holder == NO_CLAIM && queued[front] -> wake_up[front] = true
  :: else
  fi
}

inline take_place(i) {
  if
  :: !queued[i] && !queued[OTHER(i)] -> queued[i] = true; front = i
  :: else -> queued[i] = true
  fi
}

inline give_up_place(i) {
  queued[i] = false;
  told[OTHER(i)] = false;
  further[OTHER(i)] = 0;
  untold[OTHER(i)] = 0;
  front = (queued[OTHER(i)] -> OTHER(i) : 0)
}

inline free_lock() {
  holder = NO_CLAIM;
  owner = 0;
  mark = 0;
  upto = 0
}

inline want() {
#ifndef NOT_WANTED
  if
  :: !queued[0] && !queued[1] && upto > 0 -> wanted[INSTANCE(holder)] = true
  :: else
  fi
#else
  skip
#endif
}

/* acquire.lua */
inline acquire(i, c, by, answer, most, waiting) {
  if
  :: denied[c] -> answer = DENIED
  :: !denied[c] && holder == c -> give_up_place(i); most = mark; answer = GRANTED
  :: !denied[c] && holder == NO_CLAIM ->
     tick(0);
     next_token(0);
     holder = c;
     owner = by;
     mark = last;
     if
     :: queued[i] -> last = last + BLOCK - 1; upto = last
     :: else -> upto = 0
     fi;
     give_up_place(i);
     most = last;
     waiting = queued[OTHER(i)];
     /* Nobody would give back what a claim is granted that was given up */
     assert(line[i].claim == c || to_withdraw[c] || IS_DEAD(i) || forgetful);
     answer = GRANTED
  :: else ->
     if
     :: !queued[i] -> want(); take_place(i)
     :: else
     fi;
     answer = DENIED
  fi
}

/* transfer.lua */
inline transfer(i, c, named, by, give_way, answer, waiting) {
  waiting = queued[0] || queued[1];
  if
  :: holder == c && mark == named && give_way && waiting ->
     free_lock();
     take_place(i);
     wake_front();
     answer = YIELDED
  :: holder == c && mark == named && !(give_way && waiting) ->
     known = MAX(upto, mark);
     tick(known);
     if
     :: last == known && clock > known -> mark = known + 1; last = clock
     :: last == known && clock <= known -> mark = known + 1; last = known + BLOCK
     :: last != known -> next_token(known); mark = last
     fi;
     known = 0;
     upto = last;
     owner = by;
     answer = TRANSFERRED
  :: holder == c && mark > named && owner == by -> answer = TRANSFERRED
  :: else -> answer = GONE
  fi
}

/* release.lua */
inline release(i, c, named) {
  if
#ifdef RELEASE_BY_OWNER
  :: holder != NO_CLAIM && INSTANCE(holder) == i -> free_lock(); wake_front()
#else
#ifdef SILENT_RELEASE
  :: holder == c && mark == named -> free_lock()
#else
  :: holder == c && mark == named -> free_lock(); wake_front()
#endif
#endif
  :: else
  fi
}

/* withdraw.lua */
inline withdraw(i, c) {
#ifndef LATE_NOT_DENIED
  denied[c] = true;
#endif
  if
  :: holder == c -> free_lock()
  :: else
  fi;
  if
  :: queued[i] && !line[i].in_queue -> give_up_place(i)
  :: else
  fi;
  wake_front()
}

/* -- What an instance does in memory -- */

#if FAULTS > 0
#define IS_LATE(c) (late[0].kind != 0 && late[0].claim == (c) || \
  late[FAULTS - 1].kind != 0 && late[FAULTS - 1].claim == (c))
#define IS_LATE_TOKEN (late[0].id > 0 || late[FAULTS - 1].id > 0)
#else
#define IS_LATE(c) false
#define IS_LATE_TOKEN false
#endif
#define IS_UNKNOWN(c) ((c) != holder && (c) != line[INSTANCE(c)].claim && !to_withdraw[c] && to_release[c] == 0 \
  && !in_flight[c] && !IS_LATE(c))

/* Nobody knows a token: they are counted from zero again */
inline forget_tokens() {
  if
  :: holder == NO_CLAIM && line[0].id == 0 && line[1].id == 0 && last >= greatest && clock <= last && !IS_LATE_TOKEN &&
       line[0].asking == NOBODY && line[1].asking == NOBODY &&
       to_release[0] + to_release[1] + to_release[2] + to_release[3] + to_release[4] + to_release[5] +
       to_release[6] + to_release[7] + to_release[8] + to_release[9] == 0 -> last = 0; clock = 0; greatest = 0
  :: else
  fi
}

/* A name for a claim: Claimant.renewClaim, OwnClaim.giveUp */
inline renew_claim(i) {
  if
  :: line[i].doubt || line[i].in_queue -> to_withdraw[line[i].claim] = true
  :: else
  fi;
  line[i].doubt = false;
  line[i].in_queue = false;
  line[i].granted = false;
  line[i].owner = 0;
  line[i].id = 0;
  line[i].token = 0;
  line[i].upto = 0;
  line[i].used = 0;
  line[i].handoffs = 0;
  line[i].others_wait = false;
  line[i].wanted = false;
  kept[i] = false;
  told[i] = false;
  further[i] = 0;
  untold[i] = 0;
  name = i * NAMES;
  do
  :: IS_UNKNOWN(name) -> break
  :: else -> name++; assert(name < (i + 1) * NAMES)
  od;
  line[i].claim = name;
  name = 0;
  denied[line[i].claim] = false;
  forget_tokens()
}

/* Line.join */
inline join(i, n) {
  line[i].begun = true;
  line[i].waits[n] = true;
  line[i].awake[n] = true;
  if
  :: line[i].first == NOBODY -> line[i].first = n
  :: else
  fi
}

inline remove(i, n) {
  line[i].waits[n] = false;
  line[i].asked[n] = false;
  if
  :: line[i].first == n -> line[i].first = (line[i].waits[1 - n] -> 1 - n : NOBODY)
  :: else
  fi
}

/* Line.retireIfUnused, Line.giveUp */
inline retire_if_unused(i) {
  if
  :: line[i].first == NOBODY && line[i].inside == NOBODY && line[i].asking == NOBODY ->
     if
     :: line[i].granted -> to_release[line[i].claim] = line[i].id
     :: else
     fi;
     line[i].woken = false;
     renew_claim(i)
  :: else
  fi
}

/* Line.enter(caller, hold): a section begins */
inline let_in(i, n) {
  assert(line[i].token > line[i].used);
  line[i].granted = false;
  line[i].inside = n;
  line[i].used = line[i].token;
  remove(i, n);
  line[i].decided[n] = true;
  line[i].awake[n] = true;
  line[i].woken = false;
  busy[i] = true;
  assert(!(kept[i] && busy[OTHER(i)] && kept[OTHER(i)]));
  assert(!kept[i] || IS_IN_REDIS(i));
  assert(!kept[i] || HAS_NEW_TOKEN(i));
  greatest = MAX(greatest, line[i].token);
  further[OTHER(i)] = 0;
  untold[OTHER(i)] = 0;
  if
  :: queued[OTHER(i)] ->
     untold[i]++;
     assert(untold[i] <= HANDOFFS + PASSES + 1)
  :: else
  fi
}

inline know_others_wait(i, waiting) {
#ifdef WANTED_FORGOTTEN
  line[i].others_wait = waiting;
#else
  line[i].others_wait = waiting || line[i].wanted;
#endif
  line[i].wanted = false;
  if
  :: waiting && queued[OTHER(i)] -> told[i] = true
  :: else
  fi
}

inline count_handoff(i) {
  line[i].handoffs = (line[i].others_wait -> (line[i].handoffs < HANDOFFS -> line[i].handoffs + 1 : HANDOFFS) : 0);
  further[i] = further[i] + told[i];
  assert(further[i] <= HANDOFFS)
}

#ifdef NO_LIMIT
#define OTHERS_FIRST(i) false
#else
#define OTHERS_FIRST(i) (line[i].handoffs >= HANDOFFS)
#endif

/* Claimant.transferred */
inline handed_on(i, by, answer, first, most, waiting) {
  if
  :: answer == TRANSFERRED ->
     know_others_wait(i, waiting);
     count_handoff(i);
     line[i].in_queue = false;
     line[i].granted = true;
     line[i].owner = by;
     line[i].id = first;
     line[i].token = first;
     line[i].upto = most
  :: answer == YIELDED ->
     renew_claim(i);
     line[i].in_queue = true
  :: answer == GONE -> renew_claim(i); line[i].woken = true
  :: else -> line[i].doubt = true
  fi
}

/* A request that has no answer is carried out late, or never */
inline no_answer(k, c, i_d, w, y) {
  faults++;
#if FAULTS > 0
  if
  :: late[0].kind == 0 -> late[0].kind = k; late[0].claim = c; late[0].id = i_d; late[0].who = w; late[0].yield = y
  :: else ->
     assert(FAULTS > 1 && late[FAULTS - 1].kind == 0);
     late[FAULTS - 1].kind = k; late[FAULTS - 1].claim = c; late[FAULTS - 1].id = i_d; late[FAULTS - 1].who = w;
     late[FAULTS - 1].yield = y
  fi
#endif
}

#define SECTIONS(i, n) ((i) == 0 -> SECTIONS_0 : ((n) < CALLERS_1 -> SECTIONS_1 : 0))

/* A step sends a request and has it carried out, the next one is the answer; what happens to others comes between them */
proctype caller(bit i; bit n) {
  byte sections;
  mtype answer;
  byte claim;                   /* what the request says */
  byte id;
  bit next;
  bit yield;
  byte first;                   /* what the reply says */
  byte most;
  bit waiting;

  {
    do
    :: sections == SECTIONS(i, n) -> break
    :: else ->
start:
       atomic { n == 0 || line[i].begun -> join(i, n) };
again:
       /* Line.next */
       atomic {
         if
         :: line[i].awake[n] -> line[i].awake[n] = false
         :: !line[i].awake[n] && POLLS(i, n) -> line[i].woken = true
         :: !line[i].decided[n] && line[i].asked[n] && MAY_LEAVE(i) -> goto leave
         fi;
         if
         :: line[i].decided[n] -> goto section
         :: IS_NEXT(i, n) && line[i].granted && IS_FOR(i, n) -> let_in(i, n); goto section
         :: IS_NEXT(i, n) && line[i].granted && !IS_FOR(i, n) -> goto hand_on
         :: IS_NEXT(i, n) && !line[i].granted && (line[i].woken || !line[i].asked[n] && !line[i].in_queue) -> goto ask
         :: else -> goto again
         fi;
ask:
         /* Claimant.acquire */
         line[i].asking = n;
         line[i].woken = false;
         line[i].wanted = false;
         line[i].asked[n] = true;
         line[i].in_queue = true;
         claim = line[i].claim;
         if
         :: acquire(i, claim, n, answer, most, waiting);
            if
            :: answer == GRANTED -> first = mark; next = owner; kept[i] = true
            :: else
            fi
         :: FAULT(LATE) && i == 0 -> no_answer(ACQUIRE, claim, 0, n, 0)
         fi;
         claim = 0
       };
       /* Claimant.answered */
       atomic {
         line[i].asking = NOBODY;
         if
         :: answer == GRANTED ->
#ifdef HANDOFFS_FORGOTTEN
            line[i].handoffs = 0;
#endif
            line[i].in_queue = false;
            line[i].granted = true;
            line[i].owner = next;
            line[i].id = first;
            line[i].token = first;
            line[i].upto = most;
            know_others_wait(i, waiting);
            if
            :: IS_FOR(i, n) -> let_in(i, n)
            :: !IS_FOR(i, n)
            :: MAY_LEAVE(i) -> answer = 0; first = 0; next = 0; most = 0; waiting = 0; goto leave
            fi
         :: answer == DENIED
         :: else -> line[i].doubt = true
         fi;
         line[i].wanted = false;
         wake_first(i);
         answer = 0; first = 0; next = 0; most = 0; waiting = 0;
         goto again;
hand_on:
         /* Claimant.transfer, for a grant that nobody has entered */
         line[i].granted = false;
         line[i].asking = n;
         line[i].woken = false;
         line[i].wanted = false;
         claim = line[i].claim;
         id = line[i].id;
         yield = OTHERS_FIRST(i);
#ifndef ENTER_NAMED
         line[i].used = MAX(line[i].used, id);
#endif
         if
         :: transfer(i, claim, id, n, yield, answer, waiting);
            if
            :: answer == TRANSFERRED -> first = mark; most = MAX(upto, mark); kept[i] = true
            :: else
            fi
         :: FAULT(LATE) && i == 0 -> no_answer(TRANSFER, claim, id, n, yield)
         fi;
         claim = 0; id = 0; yield = 0
       };
       atomic {
         line[i].asking = NOBODY;
         handed_on(i, n, answer, first, most, waiting);
         wake_first(i);
         answer = 0; first = 0; most = 0; waiting = 0;
         goto again;
leave:
         /* Line.leave: a timeout, an interrupt, a cancelled future */
         leaves++;
         remove(i, n);
         line[i].awake[n] = false;
#ifndef SILENT_LEAVE
         wake_first(i);
#endif
         retire_if_unused(i);
         goto start
       };
section:
       atomic {
         sections++;
         line[i].awake[n] = false;
         line[i].decided[n] = false;
         if
         :: line[i].inside != n -> goto done
         :: else
         fi;
         busy[i] = false;
         assert(!kept[i] || IS_IN_REDIS(i));
         id = line[i].id;
         if
         :: line[i].first == NOBODY ->
            /* Line.release, Line.end */
            claim = line[i].claim;
            if
            :: release(i, claim, id)
            :: FAULT(LATE) && i == 0 -> no_answer(RELEASE, claim, id, 0, 0); to_release[claim] = id
            fi;
            claim = 0; id = 0;
            line[i].inside = NOBODY;
            renew_claim(i);
            retire_if_unused(i);
            goto done
         :: line[i].first != NOBODY && MAY_PASS(i) && !(line[i].others_wait && OTHERS_FIRST(i)) ->
            /* Line.pass */
#ifndef TOKEN_TWICE
            line[i].token++;
#else
            line[i].used = 0;
#endif
            count_handoff(i);
            id = 0;
            next = line[i].first;
            let_in(i, next);
            next = 0;
            goto done
         :: line[i].first != NOBODY
         fi;
         /* Line.startHandingOn, Line.handOn */
         line[i].asking = LEAVING;
         line[i].woken = false;
         line[i].wanted = false;
         claim = line[i].claim;
         next = line[i].first;
         yield = OTHERS_FIRST(i);
         in_flight[claim] = true;
         if
         :: transfer(i, claim, id, next, yield, answer, waiting);
            if
            :: answer == TRANSFERRED -> first = mark; most = MAX(upto, mark); kept[i] = true
            :: else
            fi
         :: FAULT(LATE) && i == 0 -> no_answer(TRANSFER, claim, id, next, yield); to_release[claim] = id
         fi;
         id = 0; yield = 0
       };
       /* Line.handedOn, Line.end */
       atomic {
         in_flight[claim] = false;
         if
         :: line[i].asking == LEAVING && line[i].inside == n ->
            line[i].asking = NOBODY;
            line[i].inside = NOBODY;
            line[i].woken = true;
            handed_on(i, next, answer, first, most, waiting);
            wake_first(i);
            retire_if_unused(i)
         :: else
         fi;
         answer = 0; claim = 0; next = 0; first = 0; most = 0; waiting = 0;
done:
         skip
       }
    od
  } unless { IS_DEAD(i) };
  finished++
}

/* -- What else happens -- */

inline lose_lock() {
  if
  :: line[INSTANCE(holder)].claim == holder -> kept[INSTANCE(holder)] = false
  :: else
  fi;
  free_lock()
}

/* A lease runs out, here before it does in Redis: Losses.expired, Line.end, Claimant.grantFor */
inline run_out(i) {
  kept[i] = false;
  if
  :: line[i].inside != NOBODY && line[i].asking == LEAVING ->
     line[i].inside = NOBODY;
     line[i].asking = NOBODY;
     line[i].doubt = true
  :: line[i].inside != NOBODY && line[i].asking != LEAVING ->
     busy[i] = false;
     line[i].inside = NOBODY;
     renew_claim(i)
  :: else ->
     to_release[line[i].claim] = line[i].id;
     renew_claim(i)
  fi;
  line[i].woken = true;
  wake_first(i);
  retire_if_unused(i)
}

inline carry_out(l) {
  c = late[l].claim;
  named = late[l].id;
  by = late[l].who;
  give_way = late[l].yield;
  from = INSTANCE(c);
  if
  :: late[l].kind == ACQUIRE -> acquire(from, c, by, ignored, most, waiting)
  :: late[l].kind == TRANSFER -> transfer(from, c, named, by, give_way, ignored, waiting)
  :: late[l].kind == RELEASE -> release(from, c, named)
  fi;
  c = 0; named = 0; by = 0; give_way = 0; from = 0; ignored = 0; most = 0; waiting = 0;
  forget_request(l)
}

inline forget_request(l) {
  late[l].kind = 0; late[l].claim = 0; late[l].id = 0; late[l].who = 0; late[l].yield = 0
}

inline die() {
  busy[1] = false;
  line[1].first = NOBODY;
  line[1].inside = NOBODY;
  line[1].asking = NOBODY;
  c = NAMES;
  do
  :: c < 2 * NAMES -> to_release[c] = 0; to_withdraw[c] = false; in_flight[c] = false; c++
  :: else -> break
  od;
  c = 0;
  line[1].doubt = false;
  line[1].in_queue = false;
  renew_claim(1)
}

#define IS_LEFT_BEHIND(c) ((c) != NO_CLAIM && (IS_DEAD(INSTANCE(c)) \
  || line[INSTANCE(c)].claim != (c) && !to_withdraw[c] && to_release[c] == 0 && !in_flight[c]))

/* WakeUpSubscription, Lines.wakeUp, Line.wakeUp, Line.wanted */
inline deliver(i) {
  if
  :: wake_up[i] ->
     wake_up[i] = false;
     if
     :: !IS_DEAD(i) && line[i].first != NOBODY -> line[i].woken = line[i].inside == NOBODY; wake_first(i)
     :: FAULT(MESSAGES) -> faults++
     :: IS_DEAD(i) || line[i].first == NOBODY
     fi
  :: wanted[i] ->
     wanted[i] = false;
     if
     :: !IS_DEAD(i) ->
        line[i].others_wait = true;
        line[i].wanted = line[i].asking != NOBODY;
        if
        :: queued[OTHER(i)] -> told[i] = true
        :: else
        fi
     :: FAULT(MESSAGES) -> faults++
     :: IS_DEAD(i)
     fi
  fi
}

/* Cleanup */
#define IS_TO_SAY(c) (!IS_DEAD(INSTANCE(c)) && (to_withdraw[c] || to_release[c] > 0))

inline say(c) {
  if
  :: to_withdraw[c] -> withdraw(INSTANCE(c), c); to_withdraw[c] = false
  :: to_release[c] > 0 -> release(INSTANCE(c), c, to_release[c]); to_release[c] = 0
  fi
}

#define IN_HAND(i) (busy[i] || line[i].granted || line[i].asking == LEAVING)

proctype environment() {
  byte c;                       /* what a late request says */
  byte named;
  bit by;
  bit give_way;
  bit from;
  mtype ignored;                /* and the reply */
  byte most;
  bit waiting;

end:
  do
  :: atomic { wake_up[0] || wanted[0] -> deliver(0) }
  :: atomic { wake_up[1] || wanted[1] -> deliver(1) }
  :: atomic { IS_TO_SAY(0) -> say(0) }
  :: atomic { IS_TO_SAY(1) -> say(1) }
  :: atomic { IS_TO_SAY(2) -> say(2) }
  :: atomic { IS_TO_SAY(3) -> say(3) }
  :: atomic { IS_TO_SAY(4) -> say(4) }
  :: atomic { IS_TO_SAY(5) -> say(5) }
  :: atomic { IS_TO_SAY(6) -> say(6) }
  :: atomic { IS_TO_SAY(7) -> say(7) }
  :: atomic { IS_TO_SAY(8) -> say(8) }
  :: atomic { IS_TO_SAY(9) -> say(9) }
#if FAULTS > 0
  :: atomic { late[0].kind != 0 -> carry_out(0) }
  :: atomic { late[0].kind != 0 -> forget_request(0) }
#if FAULTS > 1
  :: atomic { late[1].kind != 0 -> carry_out(1) }
  :: atomic { late[1].kind != 0 -> forget_request(1) }
#endif
  :: atomic { FAULT(LOSSES) && IN_HAND(0) -> faults++; run_out(0) }
  :: atomic { FAULT(LOSSES) && INSTANCE(holder) == 0 -> faults++; lose_lock() }
  :: atomic { FAULT(LOSSES) && INSTANCE(holder) == 0 ->
       faults++;
       lose_lock();
       forgetful = true;
       give_up_place(0);
       give_up_place(1);
       c = 0;
       do
       :: c < NO_CLAIM -> denied[c] = false; c++
       :: else -> break
       od;
       c = 0;
       clock = MAX(clock, last + 1);
       last = 0
     }
  :: atomic { FAULT(DEATHS) && !dead -> faults++; dead = true; die() }
#endif
  :: atomic { IS_LEFT_BEHIND(holder) -> free_lock() }
  :: atomic { dead && queued[1] -> give_up_place(1) }
  od
}

init {
  atomic {
    line[0].claim = 0;
    line[1].claim = NAMES;
    run caller(0, 0);
    run caller(0, 1);
    run caller(1, 0);
    run caller(1, 1);
    run environment()
  }
}

ltl all_get_in { <> (finished == 4) }
