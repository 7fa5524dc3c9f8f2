import { configureGlobal } from 'fast-check';

/** `npm test` tries the same values each time, so that a failure is due to the change; `npm run test:properties` tries new ones. */
configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 1) });
