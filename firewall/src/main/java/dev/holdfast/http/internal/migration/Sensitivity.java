package dev.holdfast.http.internal.migration;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The sensitivity of the previous core rule set, and its mapping in the migration. */
enum Sensitivity {
  HIGH(2, 40),
  MEDIUM(1, 25),
  LOW(1, 40),
  DEFAULT(2, 40),
  OFF(0, 0);

  private final int paranoiaLevel;
  private final int scoreThreshold;

  Sensitivity(int paranoiaLevel, int scoreThreshold) {
    this.paranoiaLevel = paranoiaLevel;
    this.scoreThreshold = scoreThreshold;
  }

  static Sensitivity of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  int scoreThreshold() {
    return scoreThreshold;
  }

  /** {@return the levels above the used one, which are switched off} */
  List<Integer> levelsOff() {
    return Stream.of(2, 3, 4).filter(level -> level > paranoiaLevel).toList();
  }
}
