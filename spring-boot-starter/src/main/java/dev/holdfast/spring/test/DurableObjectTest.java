package dev.holdfast.spring.test;

import dev.holdfast.spring.HoldfastAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of durable objects alone: the runtime with all {@code @DurableObject} classes of the
 * application in a temporary directory, without its web server, controllers and other components.
 * Beans that constructors of objects take are given with {@code @Import} or {@code @MockitoBean}.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@BootstrapWith(SpringBootTestContextBootstrapper.class)
@org.junit.jupiter.api.extension.ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(ObjectsOnlyFilter.class)
@ImportAutoConfiguration(HoldfastAutoConfiguration.class)
public @interface DurableObjectTest {}
