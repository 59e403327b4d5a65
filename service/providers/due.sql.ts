/**
 * Changes with what can be bought: an offer that was written or is stale, a switch, a circuit that opened or closed.
 * service/app/dueWatch.ts asks for it.
 */
export const offersSeen = (freshMs: number) => `(
  select string_agg(
           concat_ws(' ', p.name, p.enabled, p.behaviour, p.fill_bps, p.shut_until > clock_timestamp(), o.seen_at,
                     o.seen_at <= clock_timestamp() - make_interval(secs => ${freshMs} / 1000.0)), ',' order by p.name)
    from providers.provider p left join providers.offer o on o.provider = p.name)`
