import { type TypeTable } from '../../api/index.ts';
import { WebhookClient } from '../../apiserver/index.ts';
import {
  Backoff,
  type Clock,
  type Duration,
  messageOf,
  millisecondsOf,
  type Random,
  type UidSource,
} from '../../base/index.ts';
import { NO_SERVICES } from '../review-webhook/review-webhook.ts';
import type { ConfiguredWebhook } from '../review-webhook/webhook-kubeconfig.ts';
import { eventListJson } from './audit-event.ts';
import type { AuditMetrics } from './audit-metrics.ts';
import type { AuditSink } from './audit-sink.ts';

export interface AuditWebhookParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly uids: UidSource;
  readonly types: TypeTable;
  readonly metrics: AuditMetrics;
}

export interface AuditWebhookOptions {
  readonly webhook: ConfiguredWebhook;
  readonly initialBackoff: Duration;
}

const ATTEMPTS = 5;
/** Maximum duration of one attempt; upstream waits forever. */
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Posts events to a webhook, as a list; retries with growing pauses before it gives up. */
export function webhookSink(options: AuditWebhookOptions, parts: AuditWebhookParts): AuditSink {
  const { webhook, initialBackoff } = options;
  const { clock, random, metrics } = parts;
  const client = new WebhookClient({
    ...parts,
    services: NO_SERVICES,
    credentialFor: () => webhook.credential,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    userAgent: 'kube-apiserver',
  });
  const ending = new AbortController();
  return {
    async write(events) {
      const body = eventListJson(events);
      const backoff = new Backoff({ initialMs: millisecondsOf(initialBackoff), factor: 1.5, jitter: 0.2 }, random);
      for (let attempt = 1; ; attempt++) {
        try {
          await client.post(webhook.target, { body, timeoutMs: TIMEOUT_MS, signal: new AbortController().signal });
          return true;
        } catch (error) {
          if (attempt < ATTEMPTS && !ending.signal.aborted) {
            await clock.sleep(backoff.nextMs(), ending.signal);
            if (!ending.signal.aborted) continue;
          }
          metrics.lost('webhook', events, messageOf(error));
          return false;
        }
      }
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      client[Symbol.dispose]();
    },
  };
}
