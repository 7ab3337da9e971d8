package dev.holdfast.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test of a class a separate runtime, with the objects that a static method of the class
 * registers. Parameters of tests can be an {@code ObjectNamespace}, the {@code VirtualClock}, the
 * {@code ObjectRuntime} and the {@code HoldfastControl}:
 *
 * <pre>{@code
 * @HoldfastTest
 * class CartTest {
 *   @RegisterObjects
 *   static void objects(ObjectRegistrar objects) {
 *     objects.namespace("carts", Cart.class, CartObject::new);
 *   }
 *
 *   @Test
 *   void linesOutliveACrash(ObjectNamespace<Cart> carts, HoldfastControl holdfast) {
 *     carts.getByName("ann").add("tea");
 *     holdfast.crash();
 *     assertThat(carts.getByName("ann").lines()).containsExactly("tea");
 *   }
 * }
 * }</pre>
 *
 * <p>Where two namespaces have one interface, the parameter must have the name of the namespace;
 * javac keeps it with {@code -parameters}. The mark may also stand on an annotation that the class
 * has. Works with JUnit 5.10 and newer.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(HoldfastExtension.class)
public @interface HoldfastTest {

  /** {@return where the journal is} */
  Mode value() default Mode.MEMORY;

  /**
   * {@return whether objects are treated as a cluster would, whatever options the test registers;
   * see {@link dev.holdfast.RuntimeOptions#withShardRules}}
   */
  boolean shardRules() default true;

  /** Where the journal is. */
  enum Mode {
    /** In memory: a commit costs no sync. SQLite has its files in a temporary directory. */
    MEMORY,
    /** In files of a temporary directory, as in production: a disk can fail. */
    FILES
  }
}
