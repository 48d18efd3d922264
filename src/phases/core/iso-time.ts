/** Times as ISO 8601 writes them: a date, or a date with a time of day and where it holds. */

const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?:Z|[+-](\d{2}):?(\d{2})))?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function isIsoTime(text: string): boolean {
  const found = FORM.exec(text);
  if (found === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset = 0, rest = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  const inDay = (hour < 24 && minute < 60 && second <= 60) || (hour === 24 && minute === 0 && second === 0);
  return day >= 1 && day <= (DAYS[month - 1] ?? 0) + leap && inDay && offset < 24 && rest < 60;
}
