package dev.holdfast.http.expression;

/** The type of a field or of the value of a function. */
sealed interface FieldType {

  /** The types without parts. */
  enum Scalar implements FieldType {
    BOOL("Bool"),
    BYTES("Bytes"),
    INT("Int"),
    IP("Ip");

    private final String shown;

    Scalar(String shown) {
      this.shown = shown;
    }

    @Override
    public String toString() {
      return shown;
    }
  }

  /** A list of values of one type. */
  record ArrayOf(FieldType item) implements FieldType {
    @Override
    public String toString() {
      return "Array(" + item + ")";
    }
  }

  /** Values of one type by their names. */
  record MapOf(FieldType item) implements FieldType {
    @Override
    public String toString() {
      return "Map(" + item + ")";
    }
  }
}
