/** Classes of things in Spanish, version 2026-11.1. Written by hand from general knowledge of everyday life. */
export const concepts: Readonly<Record<string, string>> = {
  "actividad afición pasatiempo hobby":
    "pintar pintura senderismo correr nadar bailar cantar leer escribir jardinería cocinar fotografía pescar ajedrez yoga ciclismo cerámica costura tejer guitarra viajar",
  "deporte ejercicio": "fútbol baloncesto tenis golf natación correr maratón ciclismo gimnasio yoga boxeo esquí surf escalada voleibol rugby",
  "mascota animal": "perro gato cachorro gatito hámster conejo pájaro loro pez tortuga caballo",
  instrumento: "guitarra piano violín batería flauta saxofón trompeta bajo ukelele clarinete acordeón",
  música: "canción grupo concierto álbum guitarra piano cantante jazz rock coro",
  "familia familiar pariente":
    "madre padre hermana hermano hijo hija marido esposa esposo mujer abuela abuelo tía tío primo prima sobrino sobrina nieto suegra cuñado",
  hermanos: "hermano hermana gemelo",
  pareja: "novio novia marido esposa esposo mujer boda casado casada prometido",
  "comida plato cocina":
    "pizza pasta arroz pan queso pollo carne pescado sopa ensalada tortilla paella tacos pastel tarta chocolate fruta verdura huevo cena almuerzo desayuno",
  bebida: "café té agua zumo jugo cerveza vino leche cóctel",
  fruta: "manzana plátano naranja fresa uva mango piña pera melocotón limón sandía",
  país: "españa méxico argentina colombia chile perú francia alemania italia portugal inglaterra japón china brasil cuba venezuela canadá",
  ciudad: "madrid barcelona sevilla valencia bilbao granada málaga bogotá lima santiago parís londres roma berlín lisboa",
  "trabajo empleo profesión oficio":
    "profesor profesora maestro enfermero enfermera médico ingeniero ingeniera abogado abogada cocinero camarero diseñador programador escritor arquitecto contable policía bombero periodista oficina empresa jefe",
  "estudios carrera": "medicina derecho psicología ingeniería biología historia arte economía universidad máster",
  "enfermedad salud": "cáncer diabetes asma gripe migraña alergia ansiedad depresión infección fiebre dolor operación lesión hospital médico",
  alergia: "nuez cacahuete gluten lactosa polen marisco polvo",
  "emoción sentimiento": "feliz triste enfadado ansioso nervioso miedo orgulloso agradecido preocupado estresado solo celoso tranquilo alegría",
  "vehículo coche transporte": "coche carro moto bicicleta bici autobús tren camión barco avión furgoneta",
  "viaje vacaciones": "playa vuelo hotel montaña avión aeropuerto crucero excursión",
  "libro lectura": "novela cuento poesía biografía autor fantasía biblioteca",
  "idioma lengua": "español inglés francés alemán italiano portugués chino japonés catalán árabe ruso",
  religión: "católico cristiano iglesia dios rezar misa musulmán judío budista ateo",
  color: "rojo azul verde amarillo naranja morado rosa negro blanco marrón gris",
  regalo: "collar anillo libro flores reloj pulsera juguete",
  "celebración fiesta evento": "cumpleaños boda navidad aniversario graduación concierto bautizo",
};
