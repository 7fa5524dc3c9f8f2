import { type Client, Event, hasReason, strategicPatch } from '../../client/index.ts';
import type { ActionEvent, CountedEvent } from './new-event.ts';

/** What to send for an event. */
export interface EventWrite {
  /** The complete event, to be created. */
  readonly event: CountedEvent | (ActionEvent & { readonly series?: object });
  /** The change since it was last sent; undefined for a new event. */
  readonly change?: object;
}

/** Sends an event: patches an existing one, or creates it if it has expired. */
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
