/** Who sits here, as far as the system tells. */
import { userInfo } from "node:os";

export function personName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without a name, as in some containers.
    return "a person";
  }
}
