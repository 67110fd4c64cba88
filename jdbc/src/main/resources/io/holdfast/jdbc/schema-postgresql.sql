-- One row for each key that is locked, or was within the token retention. Times are UTC.
create table if not exists holdfast_lock (
  lock_key varchar(500) not null primary key,
  holder text, -- null when free; the first of those that share it
  claim text,
  mode varchar(9), -- exclusive or shared
  token bigint not null,
  holds integer not null,
  lease_end timestamp(6),
  released text, -- token and holder of the hold that was released last
  expires timestamp(6) not null, -- from when the row is not needed
  state text -- all else, where there are sharers, permits or waiters
) with (fillfactor = 50);
