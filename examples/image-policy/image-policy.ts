import { imagePolicy, webhookServer, type WebhookServer } from 'keelson';

const BREAK_GLASS = 'acme.image-policy.k8s.io/break-glass';

/** Lets pods run images by digest only, unless an annotation says why another is needed now. */
export function digestsOnly(port = 0): WebhookServer {
  return webhookServer({
    port,
    handlers: {
      '/images': imagePolicy({
        review({ images, annotations }) {
          const ticket = annotations[BREAK_GLASS];
          const loose = images.find((image) => !image.includes('@sha256:'));
          if (loose === undefined) return { allowed: true };
          if (ticket !== undefined) return { allowed: true, auditAnnotations: { 'break-glass': ticket } };
          return { allowed: false, reason: `${loose} is not named by its digest` };
        },
      }),
    },
  });
}
