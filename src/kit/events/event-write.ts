import { type Client, Event, hasReason, strategicPatch } from '../../client/index.ts';
import type { ActionEvent, CountedEvent } from './new-event.ts';

/** What is to be sent for an event. */
export interface EventWrite {
  /** Whole, as it is created. */
  readonly event: CountedEvent | (ActionEvent & { readonly series?: object });
  /** What has changed since it was sent last; undefined when it is new. */
  readonly change?: object;
}

/** Sends an event: what is known already is changed, unless it is gone, since events live for an hour. */
export async function sendEvent(
  client: Client,
  { event, change }: EventWrite,
  timeoutMs: number | undefined,
): Promise<void> {
  const { name, namespace } = event.metadata;
  const events = client.kindIn(Event, namespace);
  const options = { maxRetries: 0, isReadOnly: true, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) };
  if (change !== undefined) {
    try {
      await events.patch(name, strategicPatch(change), options);
      return;
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }
  await events.create(event, options);
}
