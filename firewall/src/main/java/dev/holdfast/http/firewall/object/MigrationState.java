package dev.holdfast.http.firewall.object;

import java.util.Locale;

/** How far a zone is in the migration from its previous managed rules to rulesets. */
public enum MigrationState {
  /** The previous rules decide. */
  START,
  /** The previous rules decide, and rulesets can be tried. */
  VALIDATION,
  /** Rulesets decide; the previous rules are gone. */
  FINISHED;

  /** {@return the word that clients of the API know} */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
