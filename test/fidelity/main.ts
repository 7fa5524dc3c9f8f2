// npm run fidelity: docs/reference/fidelity.md from the pages of the runs.
import { writeFidelityPage } from './fidelity-page.ts';

await writeFidelityPage();
