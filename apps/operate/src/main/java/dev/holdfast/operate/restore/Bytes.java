package dev.holdfast.operate.restore;

import java.util.Locale;

/** Sizes for people. */
final class Bytes {

  private Bytes() {}

  static String text(long bytes) {
    return bytes < 10 << 20
        ? (bytes + 1_023) / 1_024 + " KiB"
        : String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
  }
}
