/** Placeholder types, completed with the decision. */
export type Movement = "first" | "progress" | "stall" | "expansion";
