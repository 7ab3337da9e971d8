package dev.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the class of a durable object. The classes below the packages of the application are found
 * at its start, each is registered as a namespace, and an {@code ObjectNamespace} of its interface
 * can be injected:
 *
 * <pre>{@code
 * @DurableObject("carts")
 * class CartObject implements Cart {
 *   CartObject(ObjectContext context, PriceList prices) { ... }
 * }
 *
 * @RestController
 * class CartController {
 *   CartController(ObjectNamespace<Cart> carts) { ... }
 * }
 * }</pre>
 *
 * <p>An object is not a bean: the runtime makes it when it is called, and again after an eviction
 * or a reset. Its constructor (the only one, or the one with {@code @Autowired}) takes the {@code
 * ObjectContext} and any beans. Nothing else of Spring applies to it: no proxies, no scopes, no
 * {@code @PostConstruct}.
 *
 * <p>Migrations of its tables are in {@code classpath:holdfast/NAMESPACE/V1__name.sql}, {@code
 * V2__name.sql} and so on.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface DurableObject {

  /** {@return the name of the namespace} */
  String value();

  /**
   * {@return the interface that callers use; by default the only one beside {@code AlarmHandler}
   * and interfaces of Java}
   */
  Class<?> type() default void.class;

  /**
   * {@return the name of the engine that keeps the data, as {@code StorageKind.of} takes it; {@code
   * holdfast.namespaces.NAME.storage} overrides it}
   */
  String storage() default "SQLITE";
}
