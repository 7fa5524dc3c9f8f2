import { expect, test } from 'vitest';
import { amountsOf, amountTexts } from '../../api/meaning/index.ts';
import { type Finding, ON_ITS_WAY_MS, QuotaAccount } from './quota-account.ts';

const pods = (count: number) => amountsOf({ pods: String(count) });
const said = ({ used }: Finding): string => String(amountTexts(used)['pods']);

function find(account: QuotaAccount, at: { said: number; counted: number; ms: number }): string {
  const finding = account.find(pods(at.said), pods(at.counted), at.ms);
  finding.written();
  return said(finding);
}

test('freed amounts are subtracted, and objects on their way stay charged', () => {
  const account = new QuotaAccount();
  account.free(pods(1));

  const finding = account.find(pods(9), pods(7), 0); // one is on its way

  expect([said(finding), finding.isExact]).toEqual(['8', false]);
});

test('a charge for an object that was never stored is dropped after a second, later charges are not', () => {
  const account = new QuotaAccount();
  expect(find(account, { said: 9, counted: 7, ms: 0 })).toBe('9');
  expect(find(account, { said: 10, counted: 7, ms: ON_ITS_WAY_MS - 1 })).toBe('10');
  account.free(pods(1));
  expect(find(account, { said: 10, counted: 6, ms: ON_ITS_WAY_MS - 1 })).toBe('9');
  expect(find(account, { said: 9, counted: 6, ms: ON_ITS_WAY_MS })).toBe('7');
});

test('freed amounts are subtracted once, whether or not the first write succeeds', () => {
  const account = new QuotaAccount();
  account.free(pods(2));
  const refused = account.find(pods(9), pods(7), 0);
  refused.refused();

  expect([said(refused), find(account, { said: 10, counted: 7, ms: 0 })]).toEqual(['7', '8']);
  expect(find(account, { said: 8, counted: 7, ms: 1 })).toBe('8');
});

test("a count above the quota's usage is used at once", () => {
  expect(find(new QuotaAccount(), { said: 3, counted: 5, ms: 0 })).toBe('5');
});
