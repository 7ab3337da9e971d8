package dev.holdfast.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

final class TypeRefTest {

  @Test
  void typeHasItsArguments() {
    TypeRef<List<String>> texts = new TypeRef<>() {};

    assertThat(texts).hasToString("java.util.List<java.lang.String>");
    assertThat(texts).isEqualTo(new TypeRef<List<String>>() {});
    assertThat(texts).hasSameHashCodeAs(new TypeRef<List<String>>() {});
    assertThat(texts).isNotEqualTo(new TypeRef<List<Long>>() {});
  }

  @Test
  void typeVariableIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(TypeRefTest::<String>variable)
        .withMessageContaining("The type variable T has no value");
  }

  @Test
  @SuppressWarnings("rawtypes")
  void typeWithoutArgumentIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TypeRef() {})
        .withMessageContaining("new TypeRef<List<Line>>() {}");
  }

  private static <T> TypeRef<T> variable() {
    return new TypeRef<>() {};
  }
}
