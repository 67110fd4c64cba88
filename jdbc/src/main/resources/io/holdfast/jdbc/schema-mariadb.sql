-- One row for each key that is locked, or was within the token retention. Times are UTC.
create table if not exists holdfast_lock (
  lock_key varchar(500) not null primary key,
  holder varchar(1000), -- null when free; the first of those that share it
  claim varchar(1000),
  mode varchar(9), -- exclusive or shared
  token bigint not null,
  holds integer not null,
  lease_end datetime(6),
  released varchar(1000), -- token and holder of the hold that was released last
  expires datetime(6) not null, -- from when the row is not needed
  state longtext -- all else, where there are sharers, permits or waiters
) engine = InnoDB character set utf8mb4 collate utf8mb4_bin;
