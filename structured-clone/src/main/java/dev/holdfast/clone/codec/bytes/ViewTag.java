package dev.holdfast.clone.codec.bytes;

import dev.holdfast.clone.JsView;
import org.jspecify.annotations.Nullable;

/** The tags of the kinds of view. */
public final class ViewTag {

  private static final JsView.Kind[] KINDS = JsView.Kind.values();

  public static int of(JsView.Kind kind) {
    return switch (kind) {
      case INT8 -> 'b';
      case UINT8 -> 'B';
      case UINT8_CLAMPED -> 'C';
      case INT16 -> 'w';
      case UINT16 -> 'W';
      case INT32 -> 'd';
      case UINT32 -> 'D';
      case FLOAT16 -> 'h';
      case FLOAT32 -> 'f';
      case FLOAT64 -> 'F';
      case BIG_INT64 -> 'q';
      case BIG_UINT64 -> 'Q';
      case DATA_VIEW -> '?';
    };
  }

  /** Returns the kind for a tag; null for a byte that is not a tag of a view. */
  public static JsView.@Nullable Kind kind(int tag) {
    for (JsView.Kind kind : KINDS) {
      if (of(kind) == tag) {
        return kind;
      }
    }
    return null;
  }

  private ViewTag() {}
}
