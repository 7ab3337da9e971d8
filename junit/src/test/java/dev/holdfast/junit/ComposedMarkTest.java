package dev.holdfast.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.junit.Counter.CounterObject;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A test class whose annotation has the mark. */
@ComposedMarkTest.InMemory
class ComposedMarkTest {

  @HoldfastTest(HoldfastTest.Mode.MEMORY)
  @Retention(RetentionPolicy.RUNTIME)
  @interface InMemory {}

  @RegisterObjects
  static void objects(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, CounterObject::new);
  }

  @Test
  void markIsFoundOnAnAnnotation(ObjectNamespace<Counter> counters) {
    assertThat(counters.getByName("ann").add(3)).isEqualTo(3);
  }

  @Nested
  class Inner {

    @Test
    void markIsFoundOnTheAnnotationOfTheOuterClass(ObjectNamespace<Counter> counters) {
      assertThat(counters.getByName("bob").add(1)).isEqualTo(1);
    }
  }
}
