// CronJobs over a long virtual time: node scripts/run.mjs test/soak/cronjobs.ts [COUNT] [DAYS]
import { runCronJobs } from '../../src/controllers/cronjob/testing/long-run.ts';

const [count = 500, days = 30] = process.argv.slice(2).map(Number);
const startMs = performance.now();
const { started, due, problems } = await runCronJobs(count, days);
const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
console.log(`${count} CronJobs for ${days} virtual days: ${started} of ${due} Jobs in ${seconds} s`);
for (const problem of problems) console.error(problem);
if (problems.length > 0 || started !== due) process.exitCode = 1;
