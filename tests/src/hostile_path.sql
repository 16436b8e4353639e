-- A schema whose operators and functions would be taken before those of pg_catalog wherever they fit the types of a
-- call better; each raises an error that names it.
CREATE SCHEMA hostile;
DO $do$
DECLARE
    operator text;
    function text;
    l text;
    r text;
    number int := 0;
    types text[] := '{varchar,bpchar,text,name,numeric,int2,int4,int8,regclass,oid,char}';
BEGIN
    FOREACH operator IN ARRAY '{=,<>,||,+,-,*,<,>=,<=,>,~,!~}'::text[] LOOP
        FOREACH l IN ARRAY types LOOP
            FOREACH r IN ARRAY types LOOP
                number := number + 1;
                BEGIN
                    EXECUTE format(
                        'CREATE FUNCTION hostile.o%s(%s, %s) RETURNS %s LANGUAGE plpgsql AS
                         $f$ BEGIN RAISE EXCEPTION ''HOSTILE %s %s %s''; END $f$', number, l, r,
                        CASE WHEN operator = '||' THEN 'text' WHEN operator IN ('+', '-', '*') THEN 'numeric' ELSE 'bool' END,
                        l, operator, r);
                    EXECUTE format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = hostile.o%s)',
                                   operator, l, r, number);
                EXCEPTION WHEN OTHERS THEN
                    NULL;
                END;
            END LOOP;
        END LOOP;
    END LOOP;
    FOREACH function IN ARRAY '{lower,upper,length,strpos,replace,concat,format,quote_ident,cardinality,round,left,
                                octet_length,date_part,unnest,count,sum,min,max}'::text[] LOOP
        FOREACH l IN ARRAY '{varchar,bpchar,name,int2,int4,anyelement}'::text[] LOOP
            EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS text LANGUAGE plpgsql AS
                            $f$ BEGIN RAISE EXCEPTION ''HOSTILE %s''; END $f$', function, l, function);
        END LOOP;
    END LOOP;
END
$do$;
