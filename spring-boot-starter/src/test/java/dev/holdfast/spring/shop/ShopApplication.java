package dev.holdfast.spring.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application of the tests. */
@SpringBootApplication
public class ShopApplication {}
