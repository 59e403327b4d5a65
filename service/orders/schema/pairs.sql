-- Adds the next orders of an account to its pairs and returns their count. Order numbers are assigned
-- under the ledger lock without a gap, so "above the watermark" misses no late commit.
create or replace function orders.fold_pairs(who uuid, rows_max bigint) returns bigint
language plpgsql set search_path = '' as $$
declare
  mark bigint;
  upto bigint;
begin
  insert into orders.folded (account_id) values (who) on conflict do nothing;
  select f.number into mark from orders.folded f where f.account_id = who for update skip locked;
  if not found then return 0; end if;

  select max(t.number) into upto
    from (select o.number from orders.purchase_order o
           where o.account_id = who and o.number > mark order by o.number limit rows_max) t;
  if upto is null then return 0; end if;

  insert into orders.pair as p (account_id, first_number, receiver_address, buyer_address, orders)
  select who, min(o.number), o.receiver_address, o.buyer_address, count(*)
    from orders.purchase_order o
   where o.account_id = who and o.number > mark and o.number <= upto
   group by o.receiver_address, o.buyer_address
  on conflict on constraint one_row_per_pair do update set orders = p.orders + excluded.orders;

  insert into orders.filed_order (account_id, pair, number, place)
  select who, p.first_number, o.number,
         p.orders - count(*) over (partition by p.first_number)
                  + row_number() over (partition by p.first_number order by o.number)
    from orders.purchase_order o
    join orders.pair p on p.account_id = who and p.receiver_address = o.receiver_address
                      and p.buyer_address = o.buyer_address
   where o.account_id = who and o.number > mark and o.number <= upto;

  update orders.folded f set number = upto where f.account_id = who;
  return upto - mark;
end $$;

-- Accounts with orders above their watermark, in order of id, from the next `accounts_max` accounts.
create or replace function orders.unfolded_accounts(after uuid, accounts_max bigint)
returns table (account_id uuid, behind bigint)
language sql stable set search_path = '' rows 100 as $$
  with recursive walk as (
    (select o.account_id, 1 as step from orders.purchase_order o
      where o.account_id > after order by o.account_id limit 1)
    union all
    select (select o.account_id from orders.purchase_order o
             where o.account_id > w.account_id order by o.account_id limit 1), w.step + 1
      from walk w where w.account_id is not null and w.step < accounts_max
  )
  select w.account_id, last.number - coalesce(f.number, 0)
    from walk w
    cross join lateral (select max(o.number) as number from orders.purchase_order o where o.account_id = w.account_id) last
    left join orders.folded f on f.account_id = w.account_id
   where w.account_id is not null
   order by w.account_id
$$;

-- Orders of an account whose receiver or buyer contains the given text: how many, and the numbers of
-- one page, newest first. Pairs count what is folded, a scan counts what is not; one snapshot sees
-- both, so the total is exact at any moment. The text is lower case and has letters and digits only.
create or replace function orders.find_matching(
  who uuid, part text, skip bigint, size bigint, out total bigint, out numbers bigint[])
language plpgsql stable set search_path = '' as $$
declare
  pattern constant text := '%' || part || '%';
  is_long constant boolean := length(part) > 8;
  probe constant text := case when is_long then substr(part, length(part) / 2 - 2, 7) else part end;
  mark bigint;
  pairs bigint[];
  folded bigint;
  tail bigint[];
  deep bigint;
  wanted bigint;
begin
  select coalesce(max(f.number), 0) into mark from orders.folded f where f.account_id = who;
  -- Planned at each call: the better index depends on the trigrams and on the account. Of a long text
  -- only seven letters are searched by trigrams; all of an address took three times as long. They are
  -- from its middle, because many addresses begin alike.
  execute $q$ select coalesce(array_agg(p.first_number), '{}'), coalesce(sum(p.orders), 0)::bigint
                from orders.pair p where p.account_id = $1 and p.haystack like $2 $q$
          || case when is_long then 'and strpos(p.haystack, $3) > 0' else '' end
     into pairs, folded using who, '%' || probe || '%', part;
  select coalesce(array_agg(o.number order by o.number desc), '{}') into tail
    from orders.purchase_order o
   where o.account_id = who and o.number > mark
     and (lower(o.receiver_address) like pattern or lower(o.buyer_address) like pattern);

  total := folded + cardinality(tail);
  numbers := '{}';
  if skip < cardinality(tail) then numbers := tail[skip + 1 : skip + size]; end if;
  deep := greatest(skip - cardinality(tail), 0);
  wanted := size - cardinality(numbers);
  if wanted = 0 or deep >= folded then return; end if;

  if folded = mark then
    numbers := numbers || array(select generate_series(mark - deep, greatest(mark - deep - wanted, 0) + 1, -1));
  elsif (deep + wanted) * mark / folded <= cardinality(pairs) * 8 then
    -- Walk down the orders when many pairs match or the page is near the top: that reads fewer rows.
    numbers := numbers || array(
      select o.number from orders.purchase_order o
       where o.account_id = who and o.number <= mark
         and (lower(o.receiver_address) like pattern or lower(o.buyer_address) like pattern)
       order by o.number desc offset deep limit wanted);
  else
    numbers := numbers || orders.page_of_pairs(who, pairs, folded, mark, deep, wanted);
  end if;
end $$;

-- One page over several pairs: cut the numbers just above and just below the page, read in between.
create or replace function orders.page_of_pairs(
  who uuid, pairs bigint[], folded bigint, mark bigint, skip bigint, size bigint)
returns bigint[]
language plpgsql stable set search_path = '' as $$
declare
  -- A cut costs one look-up per pair, so it need not be finer than there are pairs.
  slack constant bigint := greatest(200, cardinality(pairs));
  upper_cut record;
  lower_number bigint := 0;
begin
  select * into upper_cut from orders.cut_pairs(who, pairs, folded, mark, skip, slack);
  if skip + size + slack < folded then
    select c.number into lower_number from orders.cut_pairs(who, pairs, folded, mark, skip + size + slack, slack) c;
  end if;
  return array(
    select f.number
      from unnest(pairs) g(pair)
     cross join lateral (
       select o.number from orders.filed_order o
        where o.account_id = who and o.pair = g.pair and o.number > lower_number and o.number <= upper_cut.number
       -- Pair by pair: as a join it may read all orders of the account, where they seem to be few.
       offset 0) f
     order by f.number desc offset skip - upper_cut.above limit size);
end $$;

-- A number with `wanted` orders of the pairs above it, or up to `slack` fewer. Where the orders of
-- the pairs are spread evenly the first guess is near; later steps halve, for when they are not.
create or replace function orders.cut_pairs(
  who uuid, pairs bigint[], folded bigint, mark bigint, wanted bigint, slack bigint,
  out number bigint, out above bigint)
language plpgsql stable set search_path = '' as $$
declare
  low bigint := 0;
  above_low bigint := folded;
  middle bigint;
  above_middle bigint;
  step int := 0;
begin
  number := mark;
  above := 0;
  while wanted - above > slack and number - low > 1 loop
    step := step + 1;
    -- Aimed at the middle of what is good enough, not at its edge.
    middle := case when step <= 3 or step % 2 = 0
                then number - ((number - low)::numeric * (wanted - slack / 2 - above) / (above_low - above))::bigint
                else (low + number) / 2 end;
    middle := least(greatest(middle, low + 1), number - 1);
    select folded - coalesce(sum(f.place), 0)::bigint into above_middle
      from unnest(pairs) g(pair)
     cross join lateral (
       select o.place from orders.filed_order o
        where o.account_id = who and o.pair = g.pair and o.number <= middle
        order by o.number desc limit 1) f;
    if above_middle <= wanted then
      number := middle;
      above := above_middle;
    else
      low := middle;
      above_low := above_middle;
    end if;
  end loop;
end $$;
