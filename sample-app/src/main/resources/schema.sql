-- Run by every instance at its start. Table and row are created in one statement, so that
-- of two instances that start together one does it and the other finds it done.
create table if not exists product (
	id bigint primary key,
	name varchar(100) not null,
	sale int not null,
	offered int not null,
	stock int not null
) as values (1, 'Lighthouse lamp', 0, 0, 0);

create table if not exists sale_order (
	id bigint generated always as identity primary key,
	product_id bigint not null references product,
	sale int not null,
	created timestamp with time zone default current_timestamp not null
);

create index if not exists sale_order_by_sale on sale_order (product_id, sale);

-- For the fencing recipe: a row carries the greatest token that was seen with it
create table if not exists account (
	id bigint primary key,
	balance bigint not null,
	token bigint not null
) as values (1, 0, 0);
